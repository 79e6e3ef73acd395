import { randomBytes, randomInt } from 'node:crypto';
import type { link, open, rename, stat, unlink, utimes } from 'node:fs/promises';
import { errorCodeOf } from '../redact.ts';
import { unlessGone } from './unless-gone.ts';

/** The functions of `node:fs/promises` that a lease uses. */
export interface LeaseFileSystem {
  readonly link: typeof link;
  readonly open: typeof open;
  readonly rename: typeof rename;
  readonly stat: typeof stat;
  readonly unlink: typeof unlink;
  readonly utimes: typeof utimes;
}

/**
 * Decides which of several processes delivers the events. The process that created the lock file holds the
 * lease.
 *
 * At every tick, the holder sets the modification time of the file to a new random value. A process that sees
 * the same value for more than `staleAfterTicks` of its own ticks takes the lease over. No clocks are
 * compared, so clock changes do no harm. The file has no content, so renewing the lease also works on a full
 * disk.
 *
 * Two processes may briefly hold the lease at the same time, e.g. after one was suspended. Events are then
 * sent twice, and the server records them once.
 */
export class Lease {
  readonly #path: string;
  readonly #staleAfterTicks: number;
  readonly #files: LeaseFileSystem;
  /** The modification time that this process wrote last; undefined while it does not hold the lease. */
  #ownMtimeMs: number | undefined;
  /** The modification time of another process's lock file, and for how many ticks it has been the same. */
  #seen: { readonly mtimeMs: number; readonly ticks: number } | undefined;

  constructor(path: string, staleAfterTicks: number, files: LeaseFileSystem) {
    this.#path = path;
    this.#staleAfterTicks = staleAfterTicks;
    this.#files = files;
  }

  get isHeld(): boolean {
    return this.#ownMtimeMs !== undefined;
  }

  /** Renews the lease, or tries to acquire it. */
  async tick(): Promise<void> {
    if (this.#ownMtimeMs !== undefined) {
      if ((await this.#readMtimeMs()) === this.#ownMtimeMs) await this.#renew();
      else this.#ownMtimeMs = undefined;
      return;
    }
    if (await this.#create()) return;
    const mtimeMs = await this.#readMtimeMs();
    if (mtimeMs === undefined) return;
    const ticks = this.#seen?.mtimeMs === mtimeMs ? this.#seen.ticks + 1 : 1;
    this.#seen = { mtimeMs, ticks };
    if (ticks <= this.#staleAfterTicks) return;
    this.#seen = undefined;
    if (await this.#breakLock(mtimeMs)) await this.#create();
  }

  async release(): Promise<void> {
    const mtimeMs = this.#ownMtimeMs;
    this.#ownMtimeMs = undefined;
    if (mtimeMs !== undefined && (await this.#readMtimeMs()) === mtimeMs) {
      await this.#files.unlink(this.#path);
    }
  }

  async #create(): Promise<boolean> {
    try {
      await (await this.#files.open(this.#path, 'wx', 0o600)).close();
    } catch (error) {
      if (errorCodeOf(error) === 'EEXIST') return false;
      throw error;
    }
    await this.#renew();
    return true;
  }

  /**
   * Removes a stale lock file. It is renamed first, so that only one of several processes succeeds.
   *
   * @returns true if the stale lock file is gone; false if the renamed file was in fact a newer lock, which is then
   * restored
   */
  async #breakLock(staleMtimeMs: number): Promise<boolean> {
    const movedPath = `${this.#path}.${randomBytes(6).toString('hex')}`;
    try {
      await this.#files.rename(this.#path, movedPath);
    } catch (error) {
      if (errorCodeOf(error) === 'ENOENT') return true;
      throw error;
    }
    const isStale = (await this.#files.stat(movedPath)).mtimeMs === staleMtimeMs;
    // Another process has replaced the stale lock meanwhile: restore the file of that process.
    if (!isStale) await this.#files.link(movedPath, this.#path).catch(() => {});
    await this.#files.unlink(movedPath);
    return isStale;
  }

  async #readMtimeMs(): Promise<number | undefined> {
    const stats = await this.#files.stat(this.#path).catch(unlessGone);
    return stats?.mtimeMs;
  }

  async #renew(): Promise<void> {
    // An even number, because some file systems store modification times in steps of two seconds.
    const seconds = 2 * randomInt(1e6, 1e9);
    await this.#files.utimes(this.#path, seconds, seconds);
    this.#ownMtimeMs = seconds * 1000;
  }
}
