import type { mkdir, open, readdir, readFile, rename, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AffkitConfigurationError, AffkitSpoolFullError } from '../errors.ts';
import { limitConcurrency } from '../limit-concurrency.ts';
import { errorCodeOf, errorSummary } from '../redact.ts';
import { coalesce } from './coalesce.ts';

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
const MAY_BE_STORED =
  'This event may or may not be stored, and may still be sent. You can safely send it again';
/** Many systems limit a process to 1,024 open files, and the application needs most of them for itself. */
const MAX_OPEN_FILES = 32;

/**
 * The files of a spool: `tmp/` has drafts, `ready/` the events to send, `dead/` the rejected events. A file is
 * written in `tmp/` and then renamed into `ready/`, so that no process reads a file that is only partly written.
 */
export class Directory {
  readonly path: string;
  readonly #files: FileSystem;
  readonly #limitWrites = limitConcurrency(MAX_OPEN_FILES);
  /** Separate from `#limitWrites`, so that a burst of new events does not stop the delivery. */
  readonly #limitDelivery = limitConcurrency(MAX_OPEN_FILES);
  /** A single fsync of the folder covers all earlier renames. */
  readonly #syncReady = coalesce(() => this.#syncFolder(join(this.path, 'ready')));

  constructor(path: string, files: FileSystem) {
    this.path = path;
    this.#files = files;
  }

  async create(): Promise<void> {
    try {
      await this.#createFolders();
    } catch (error) {
      throw storageError(error, this.path, NOT_STORED);
    }
  }

  /**
   * Writes a file to `ready/`. Resolves once the file survives a crash of the machine. If it rejects because the folder
   * could not be synced, the file may be in `ready/`. The message of the error then says so.
   *
   * @throws AffkitSpoolFullError if the disk is full
   * @throws AffkitConfigurationError if the folder cannot be written
   */
  async store(name: string, content: string): Promise<void> {
    try {
      await this.#addToReady(name, content).catch(async (error: unknown) => {
        if (errorCodeOf(error) !== 'ENOENT') throw error;
        // An operator may have removed a folder while the process runs.
        await this.#createFolders();
        await this.#addToReady(name, content);
      });
    } catch (error) {
      throw storageError(error, this.path, NOT_STORED);
    }
    try {
      await this.#syncReady();
    } catch (error) {
      throw storageError(error, this.path, MAY_BE_STORED);
    }
  }

  /** The names of the files in `ready/`, in no particular order. */
  async list(): Promise<string[]> {
    return this.#files.readdir(join(this.path, 'ready'));
  }

  /** The names of the events in `dead/`, in no particular order, without the files that hold the reasons. */
  async listDead(): Promise<string[]> {
    const names = await this.#files.readdir(join(this.path, 'dead'));
    return names.filter((name) => !name.endsWith('.reason.json'));
  }

  /** Reads a file of `ready/`. Returns undefined if another process has removed it. */
  async read(name: string): Promise<string | undefined> {
    const path = join(this.path, 'ready', name);
    return this.#limitDelivery(() => this.#files.readFile(path, 'utf8')).catch(unlessGone);
  }

  async remove(name: string): Promise<void> {
    await this.#files.unlink(join(this.path, 'ready', name)).catch(unlessGone);
  }

  /** Moves a file to `dead/` and writes the reason next to it. A failure to write the reason is ignored. */
  async moveToDead(name: string, reason: object): Promise<void> {
    const deadPath = join(this.path, 'dead', name);
    // An operator may have removed the folder; the rename would then fail as if the file were gone.
    await this.#files.mkdir(join(this.path, 'dead'), { recursive: true, mode: FOLDER_MODE });
    await this.#files.rename(join(this.path, 'ready', name), deadPath).catch(unlessGone);
    const reasonPath = deadPath.replace(/json$/, 'reason.json');
    const text = JSON.stringify(reason, null, 2);
    const writing = () => this.#files.writeFile(reasonPath, text, { mode: FILE_MODE });
    await this.#limitDelivery(writing).catch(() => {});
  }

  async listDrafts(): Promise<string[]> {
    return this.#files.readdir(join(this.path, 'tmp'));
  }

  async removeDraft(name: string): Promise<void> {
    await this.#files.unlink(join(this.path, 'tmp', name)).catch(unlessGone);
  }

  async #createFolders(): Promise<void> {
    for (const folder of ['tmp', 'ready', 'dead']) {
      await this.#files.mkdir(join(this.path, folder), { recursive: true, mode: FOLDER_MODE });
    }
    await this.#syncFolder(this.path);
    try {
      await this.#syncFolder(join(this.path, '..'));
    } catch (error) {
      // Another user may own the parent folder and not permit this process to read it. Such a folder cannot be synced.
      if (errorCodeOf(error) !== 'EACCES') throw error;
    }
  }

  /** Writes a draft and moves it to `ready/`. If that fails, no file remains. */
  async #addToReady(name: string, content: string): Promise<void> {
    const draft = join(this.path, 'tmp', name);
    try {
      await this.#limitWrites(() => this.#writeDraft(draft, content));
      await this.#files.rename(draft, join(this.path, 'ready', name));
    } catch (error) {
      await this.#files.unlink(draft).catch(() => {});
      throw error;
    }
  }

  async #writeDraft(path: string, content: string): Promise<void> {
    const file = await this.#files.open(path, 'wx', FILE_MODE);
    try {
      await file.writeFile(content);
      await file.sync();
    } finally {
      await file.close();
    }
  }

  async #syncFolder(path: string): Promise<void> {
    // Windows cannot open folders, and persists renames without this sync.
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
  if (errorCodeOf(error) !== 'ENOENT') throw error;
}

/** @param consequence what the failure means for the event of the call */
function storageError(cause: unknown, path: string, consequence: string): Error {
  if (DISK_FULL_CODES.has(errorCodeOf(cause))) {
    return new AffkitSpoolFullError(`The disk of the spool ${path} is full. ${consequence}`, {
      code: 'spool_full',
      retryable: true,
      cause,
    });
  }
  const message = `The spool ${path} cannot be written: ${errorSummary(cause)}. ${consequence}`;
  return new AffkitConfigurationError(message, { code: 'spool_unavailable', retryable: true, cause });
}
