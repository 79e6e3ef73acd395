import type { mkdir, open, readdir, readFile, rename, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AffkitConfigurationError, AffkitSpoolFullError } from '../errors.ts';
import { limitConcurrency } from '../limit-concurrency.ts';
import { errorCodeOf, errorSummary } from '../redact.ts';
import { coalesce } from './coalesce.ts';
import { unlessGone } from './unless-gone.ts';

/** The functions of `node:fs/promises` that a spool directory uses. */
export interface FileSystem {
  readonly mkdir: typeof mkdir;
  readonly open: typeof open;
  readonly readdir: typeof readdir;
  readonly readFile: typeof readFile;
  readonly rename: typeof rename;
  readonly unlink: typeof unlink;
  readonly writeFile: typeof writeFile;
}

const FOLDER_MODE = 0o700;
const FILE_MODE = 0o600;
const DISK_FULL_CODES: ReadonlySet<string | undefined> = new Set(['ENOSPC', 'EDQUOT']);
const NOT_STORED = 'This call stored no event';
const MAY_BE_STORED = 'This event may still be stored and sent. You can safely send it again';
/** Many systems limit a process to 1,024 open files, and the application needs most of them for itself. */
const MAX_OPEN_FILES = 32;

/**
 * The files of a spool. `tmp/` contains drafts, `ready/` the events to send, and `dead/` the rejected events. A file is
 * written in `tmp/` and then renamed into `ready/`, so that no process reads a file that is only partly written.
 */
export class Directory {
  readonly path: string;
  readonly #files: FileSystem;
  readonly #limitWrites = limitConcurrency(MAX_OPEN_FILES);
  readonly #limitMoves = limitConcurrency(1);
  /** Separate from `#limitWrites`, so that a burst of new events does not stop the delivery. */
  readonly #limitDelivery = limitConcurrency(MAX_OPEN_FILES);
  /** A single fsync of the folder covers all earlier renames. */
  readonly #syncReady = coalesce(() => this.#syncFolder(this.#pathOf('ready')));

  constructor(path: string, files: FileSystem) {
    this.path = path;
    this.#files = files;
  }

  async create(): Promise<void> {
    await this.#createFolders().catch((error) => this.#throwStorageError(error, NOT_STORED));
  }

  /**
   * Writes a file to `ready/`. Resolves once the file is synced to disk, so that it survives a crash of the machine. If
   * the folder cannot be synced, the call rejects, but the file may be in `ready/`. The error message says so.
   *
   * @throws AffkitSpoolFullError if the disk is full
   * @throws AffkitConfigurationError if the folder cannot be written
   */
  async store(name: string, content: string): Promise<void> {
    await this.#addToReady(name, content)
      .catch(async (error: unknown) => {
        unlessGone(error);
        // An operator may have removed a folder while the process runs.
        await this.#createFolders();
        await this.#addToReady(name, content);
      })
      .catch((error) => this.#throwStorageError(error, NOT_STORED));
    await this.#syncReady().catch((error) => this.#throwStorageError(error, MAY_BE_STORED));
  }

  /** The names of the files in a folder, in no particular order. */
  list(folder: 'ready' | 'tmp' | 'dead'): Promise<string[]> {
    return this.#files.readdir(this.#pathOf(folder));
  }

  /** The names of the events in `dead/`, in no particular order, without the files that hold the reasons. */
  async listDead(): Promise<string[]> {
    const names = await this.list('dead');
    return names.filter((name) => !name.endsWith('.reason.json'));
  }

  /** Reads a file of `ready/`. Returns undefined if another process has removed it. */
  async read(name: string): Promise<string | undefined> {
    const reading = () => this.#files.readFile(this.#pathOf('ready', name), 'utf8');
    return this.#limitDelivery(reading).catch(unlessGone);
  }

  /** Removes a file. Does nothing if another process has removed it. */
  remove(folder: 'ready' | 'tmp', name: string): Promise<void> {
    return this.#files.unlink(this.#pathOf(folder, name)).catch(unlessGone);
  }

  /** Moves a file to `dead/` and writes the reason next to it. A failure to write the reason is ignored. */
  async moveToDead(name: string, reason: object): Promise<void> {
    // An operator may have removed the folder; the rename would then fail as if the file were gone.
    await this.#files.mkdir(this.#pathOf('dead'), { recursive: true, mode: FOLDER_MODE });
    await this.#files.rename(this.#pathOf('ready', name), this.#pathOf('dead', name)).catch(unlessGone);
    const reasonPath = this.#pathOf('dead', name.replace(/json$/, 'reason.json'));
    const text = JSON.stringify(reason, null, 2);
    const writing = () => this.#files.writeFile(reasonPath, text, { mode: FILE_MODE });
    await this.#limitDelivery(writing).catch(() => {});
  }

  async #createFolders(): Promise<void> {
    for (const folder of ['tmp', 'ready', 'dead']) {
      await this.#files.mkdir(this.#pathOf(folder), { recursive: true, mode: FOLDER_MODE });
    }
    await this.#syncFolder(this.path);
    try {
      await this.#syncFolder(this.#pathOf('..'));
    } catch (error) {
      // Another user may own the parent folder and not permit this process to read it. Such a folder cannot be synced.
      if (errorCodeOf(error) !== 'EACCES') throw error;
    }
  }

  /**
   * Writes a draft and moves it to `ready/`. If that fails, no file remains. The files of concurrent calls are moved in
   * the order of the calls. Otherwise, a sale could be sent before the lead of the same customer is in the folder.
   */
  async #addToReady(name: string, content: string): Promise<void> {
    const draft = this.#pathOf('tmp', name);
    const written = this.#limitWrites(() => this.#openAndSync(draft, 'wx', content));
    const move = () => written.then(() => this.#files.rename(draft, this.#pathOf('ready', name)));
    try {
      await Promise.all([written, this.#limitMoves(move)]);
    } catch (error) {
      await this.#files.unlink(draft).catch(() => {});
      throw error;
    }
  }

  async #syncFolder(path: string): Promise<void> {
    // Windows cannot open folders, and persists renames without this sync.
    if (process.platform !== 'win32') await this.#openAndSync(path, 'r');
  }

  /** Opens a file or folder, writes `content` to it if given, and syncs it. */
  async #openAndSync(path: string, flags: string, content?: string): Promise<void> {
    const file = await this.#files.open(path, flags, FILE_MODE);
    try {
      if (content !== undefined) await file.writeFile(content);
      await file.sync();
    } finally {
      await file.close();
    }
  }

  /** @param consequence what the failure means for the event of the call */
  #throwStorageError(cause: unknown, consequence: string): never {
    if (DISK_FULL_CODES.has(errorCodeOf(cause))) {
      const message = `The disk of the spool ${this.path} is full. ${consequence}`;
      throw new AffkitSpoolFullError(message, { code: 'spool_full', retryable: true, cause });
    }
    const message = `The spool ${this.path} cannot be written: ${errorSummary(cause)}. ${consequence}`;
    throw new AffkitConfigurationError(message, { code: 'spool_unavailable', retryable: true, cause });
  }

  #pathOf(folder: string, name = ''): string {
    return join(this.path, folder, name);
  }
}
