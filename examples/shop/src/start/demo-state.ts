import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** What the demo needs to know again when it is started again. */
export type DemoState =
  /** Between the first start and the end of the seeding; only then is the password kept. */
  | { readonly step: 'seeding'; readonly adminEmail: string; readonly adminPassword: string }
  | ({ readonly step: 'seeded'; readonly adminEmail: string } & SeededDemo);

/** What the seeding has made. */
export interface SeededDemo {
  readonly programId: number;
  /** Tracking token: the shop's backend reports by it. */
  readonly token: string;
  /** Management key of the live panel, for this program alone. */
  readonly key: string;
  readonly shopUrl: string;
  readonly partners: readonly { readonly name: string; readonly code: string }[];
}

/** The demo's notes in its data folder, for the owner alone: they hold credentials. */
export class DemoNotes {
  readonly #file: string;

  constructor(folder: string) {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    this.#file = join(folder, 'demo.json');
  }

  read(): DemoState | null {
    // Only this class writes the file.
    return existsSync(this.#file) ? (JSON.parse(readFileSync(this.#file, 'utf8')) as DemoState) : null;
  }

  write(state: DemoState): void {
    writeFileSync(`${this.#file}.new`, `${JSON.stringify(state, null, 2)}\n`, { mode: 0o600, flush: true });
    renameSync(`${this.#file}.new`, this.#file);
  }
}
