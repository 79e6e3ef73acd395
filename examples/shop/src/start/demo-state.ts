import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { StartError } from './ports.ts';

/** The files of the demo in its data folder, which may contain other files too. */
export const DEMO_FILES = 'demo.json, shop.json and affkit.db*';

/** The state that the demo stores for its next start. */
export type DemoState = SeedingDemo | SeededState;

/** The state after the setup is complete. */
export type SeededState = SeededDemo & {
  readonly step: 'seeded';
  readonly adminEmail: string;
  /** The normalized name of the database that was set up. Absent in files of older versions. */
  readonly database?: string | undefined;
};

/** The state until the setup is complete. Only this state contains the password. */
export interface SeedingDemo {
  readonly step: 'seeding';
  readonly adminEmail: string;
  readonly adminPassword: string;
  /**
   * The normalized name of the database in which a history is being recorded. Remains set if the recording is
   * interrupted.
   */
  readonly recording?: string | undefined;
}

/** The objects that the setup created. */
export interface SeededDemo {
  readonly programId: number;
  /** The tracking token of the shop's backend. */
  readonly token: string;
  /** The management key of the live panel, limited to this program. */
  readonly key: string;
  readonly shopUrl: string;
  readonly partners: readonly { readonly name: string; readonly code: string }[];
}

/**
 * The file with the demo's state, readable only by its owner because it contains credentials. All methods
 * throw a StartError if the folder cannot be used.
 */
export class DemoStateFile {
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
      // The cast is safe because only this class writes the file.
      return JSON.parse(text) as DemoState;
    } catch (error) {
      throw new StartError(
        `DATA_DIR ${this.#folder} can't be used (demo.json: ${messageOf(error)}). Set another folder, or delete ` +
          `${DEMO_FILES} in this folder to start over`,
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
      throw new StartError(
        `DATA_DIR ${this.#folder} can't be used (${messageOf(error)}). Set another folder`,
      );
    }
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
