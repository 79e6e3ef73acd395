import { randomBytes, randomInt } from 'node:crypto';
import type { link, open, rename, stat, unlink, utimes } from 'node:fs/promises';
import { codeOf } from '../redact.ts';

/** The part of `node:fs/promises` that a lease uses. */
export interface LeaseFiles {
  readonly link: typeof link;
  readonly open: typeof open;
  readonly rename: typeof rename;
  readonly stat: typeof stat;
  readonly unlink: typeof unlink;
  readonly utimes: typeof utimes;
}

/**
 * Decides which of several processes delivers: the one that made the lock file. The holder gives the file a new
 * random modification time at every tick; another process that has seen the same one for `patience` ticks of its
 * own takes it over. No clock is compared, so none that jumps or differs does harm, and the file has no content, so
 * a full disk does none either.
 *
 * Two may hold it for a moment, when one was frozen. That doubles requests, not events.
 */
export class Lease {
  readonly #path: string;
  readonly #patience: number;
  readonly #files: LeaseFiles;
  #mark: number | undefined;
  #seen: { readonly mark: number; readonly times: number } | undefined;

  constructor(path: string, patience: number, files: LeaseFiles) {
    this.#path = path;
    this.#patience = patience;
    this.#files = files;
  }

  get isHeld(): boolean {
    return this.#mark !== undefined;
  }

  /** Holds on to the lease, or tries to get it. */
  async tick(): Promise<void> {
    if (this.#mark !== undefined) {
      if ((await this.#read()) === this.#mark) await this.#write();
      else this.#mark = undefined;
      return;
    }
    if (await this.#create()) return;
    const mark = await this.#read();
    if (mark === undefined) return;
    const times = this.#seen?.mark === mark ? this.#seen.times + 1 : 1;
    this.#seen = { mark, times };
    if (times <= this.#patience) return;
    this.#seen = undefined;
    if (await this.#breakLock(mark)) await this.#create();
  }

  async release(): Promise<void> {
    const mark = this.#mark;
    this.#mark = undefined;
    if (mark !== undefined && (await this.#read()) === mark) await this.#files.unlink(this.#path);
  }

  async #create(): Promise<boolean> {
    try {
      await (await this.#files.open(this.#path, 'wx', 0o600)).close();
    } catch (error) {
      if (codeOf(error) === 'EEXIST') return false;
      throw error;
    }
    await this.#write();
    return true;
  }

  /** Of several that try, one moves the file away. @returns whether it was the one that nobody held */
  async #breakLock(mark: number): Promise<boolean> {
    const away = `${this.#path}.${randomBytes(6).toString('hex')}`;
    try {
      await this.#files.rename(this.#path, away);
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return true;
      throw error;
    }
    const isStale = (await this.#files.stat(away)).mtimeMs === mark;
    // Another one had broken and made it again in between: it gets its own back.
    if (!isStale) await this.#files.link(away, this.#path).catch(() => {});
    await this.#files.unlink(away);
    return isStale;
  }

  async #read(): Promise<number | undefined> {
    try {
      return (await this.#files.stat(this.#path)).mtimeMs;
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return undefined;
      throw error;
    }
  }

  async #write(): Promise<void> {
    // Even seconds: there are file systems that store no others.
    const seconds = 2 * randomInt(1e6, 1e9);
    await this.#files.utimes(this.#path, seconds, seconds);
    this.#mark = seconds * 1000;
  }
}
