import type { mkdir, open, readdir, readFile, rename, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AffkitConfigurationError, AffkitSpoolFullError } from '../errors.ts';
import { codeOf, reasonOf } from '../redact.ts';
import { share } from './share.ts';

/** The part of `node:fs/promises` that a spool uses. */
export interface Files {
  readonly mkdir: typeof mkdir;
  readonly open: typeof open;
  readonly readdir: typeof readdir;
  readonly readFile: typeof readFile;
  readonly rename: typeof rename;
  readonly unlink: typeof unlink;
  readonly writeFile: typeof writeFile;
}

const OWNER_ONLY = 0o700;
const OWNER_ONLY_FILE = 0o600;
const NO_SPACE: ReadonlySet<string | undefined> = new Set(['ENOSPC', 'EDQUOT']);

/**
 * The folders of a spool: `tmp` for what is being written, `ready` for what is to be sent, `dead` for what was
 * refused. A file is in `ready` whole or not at all.
 */
export class Directory {
  readonly path: string;
  readonly #files: Files;
  /** One sync serves all whose rename came before it. */
  readonly #syncReady = share(() => this.#syncFolder(join(this.path, 'ready')));

  constructor(path: string, files: Files) {
    this.path = path;
    this.#files = files;
  }

  async create(): Promise<void> {
    try {
      for (const folder of ['tmp', 'ready', 'dead']) {
        await this.#files.mkdir(join(this.path, folder), { recursive: true, mode: OWNER_ONLY });
      }
      await this.#syncFolder(this.path);
      await this.#syncFolder(join(this.path, '..'));
    } catch (error) {
      throw storageError(error, this.path);
    }
  }

  /** Resolves when the file will survive a crash of the machine. */
  async store(name: string, content: string): Promise<void> {
    const draft = join(this.path, 'tmp', name);
    try {
      const file = await this.#files.open(draft, 'wx', OWNER_ONLY_FILE);
      try {
        await file.writeFile(content);
        await file.sync();
      } finally {
        await file.close();
      }
      await this.#files.rename(draft, join(this.path, 'ready', name));
      await this.#syncReady();
    } catch (error) {
      await this.#files.unlink(draft).catch(() => {});
      throw storageError(error, this.path);
    }
  }

  /** The names of what is to be sent, in no order. */
  async list(): Promise<string[]> {
    return this.#files.readdir(join(this.path, 'ready'));
  }

  /** The names of what was refused, in no order. */
  async listDead(): Promise<string[]> {
    const names = await this.#files.readdir(join(this.path, 'dead'));
    return names.filter((name) => !name.endsWith('.reason.json'));
  }

  /** Undefined where another process was faster. */
  async read(name: string): Promise<string | undefined> {
    return this.#files.readFile(join(this.path, 'ready', name), 'utf8').catch(unlessGone);
  }

  async remove(name: string): Promise<void> {
    await this.#files.unlink(join(this.path, 'ready', name)).catch(unlessGone);
  }

  /** Moves a file to `dead`, with the reason beside it where there is room for that. */
  async bury(name: string, reason: object): Promise<void> {
    const grave = join(this.path, 'dead', name);
    await this.#files.rename(join(this.path, 'ready', name), grave).catch(unlessGone);
    const text = JSON.stringify(reason, null, 2);
    const note = grave.replace(/json$/, 'reason.json');
    await this.#files.writeFile(note, text, { mode: OWNER_ONLY_FILE }).catch(() => {});
  }

  async listDrafts(): Promise<string[]> {
    return this.#files.readdir(join(this.path, 'tmp'));
  }

  async removeDraft(name: string): Promise<void> {
    await this.#files.unlink(join(this.path, 'tmp', name)).catch(unlessGone);
  }

  async #syncFolder(path: string): Promise<void> {
    // Windows opens no folders, and keeps its names without being asked.
    if (globalThis.process?.platform === 'win32') return;
    const folder = await this.#files.open(path, 'r');
    try {
      await folder.sync();
    } finally {
      await folder.close();
    }
  }
}

function unlessGone(error: unknown): undefined {
  if (codeOf(error) !== 'ENOENT') throw error;
}

function storageError(cause: unknown, path: string): Error {
  if (NO_SPACE.has(codeOf(cause))) {
    return new AffkitSpoolFullError(`The disk of the spool ${path} is full: the event is not kept`, {
      code: 'spool_full',
      retryable: true,
      cause,
    });
  }
  return new AffkitConfigurationError(`The spool ${path} can't be written (${reasonOf(cause)})`, {
    code: 'spool_unavailable',
    retryable: true,
    cause,
  });
}
