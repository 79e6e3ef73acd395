import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { StartError } from './ports.ts';

/** All that the demo keeps in its data folder, where other things may lie too. */
export const DEMO_FILES = 'demo.json, shop.json and affkit.db*';

/** What the demo needs to know again when it is started again. */
export type DemoState = SeedingDemo | SeededState;

/** Once the demo stands. */
export type SeededState = SeededDemo & {
  readonly step: 'seeded';
  readonly adminEmail: string;
  /** By `nameDatabase`, the one that was seeded; demos of before it was noted have none. */
  readonly database?: string | undefined;
};

/** Between the first start and the end of the seeding; only then is the password kept. */
export interface SeedingDemo {
  readonly step: 'seeding';
  readonly adminEmail: string;
  readonly adminPassword: string;
}

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

/**
 * The demo's notes in its data folder, for the owner alone: they hold credentials. Whatever is asked of it throws
 * a StartError when the folder can't be used.
 */
export class DemoNotes {
  readonly #folder: string;
  readonly #file: string;

  constructor(folder: string) {
    this.#folder = folder;
    this.#file = join(folder, 'demo.json');
    this.#use(() => mkdirSync(folder, { recursive: true, mode: 0o700 }));
  }

  read(): DemoState | null {
    const text = this.#use(() => (existsSync(this.#file) ? readFileSync(this.#file, 'utf8') : null));
    if (text === null) return null;
    try {
      // Only this class writes the file.
      return JSON.parse(text) as DemoState;
    } catch (error) {
      throw new StartError(
        `DATA_DIR ${this.#folder} can't be used (demo.json: ${messageOf(error)}): set another, or delete its ` +
          `${DEMO_FILES} to begin anew`,
      );
    }
  }

  write(state: DemoState): void {
    const text = `${JSON.stringify(state, null, 2)}\n`;
    this.#use(() => {
      writeFileSync(`${this.#file}.new`, text, { mode: 0o600, flush: true });
      renameSync(`${this.#file}.new`, this.#file);
    });
  }

  #use<T>(action: () => T): T {
    try {
      return action();
    } catch (error) {
      throw new StartError(`DATA_DIR ${this.#folder} can't be used (${messageOf(error)}): set another`);
    }
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
