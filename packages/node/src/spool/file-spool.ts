import { join } from 'node:path';
import { readInteger, rejectUnknownOptions } from '../check-option.ts';
import {
  AffkitConfigurationError,
  AffkitSpoolFullError,
  AffkitTimeoutError,
  configurationError,
} from '../errors.ts';
import { errorSummary } from '../redact.ts';
import { coalesce } from './coalesce.ts';
import { DeadLetterCount } from './dead-letter-count.ts';
import { Delivery } from './delivery.ts';
import { Directory, type FileSystem } from './directory.ts';
import { DirectorySync } from './directory-sync.ts';
import { EntryNamer } from './entry.ts';
import { FlushWaiters } from './flush-waiters.ts';
import { Lease, type LeaseFileSystem } from './lease.ts';
import type { FileSpoolHooks, FileSpoolOptions } from './options.ts';
import type { Spool, SpoolClient, SpooledEvent, SpoolStats } from './spool.ts';

const DEFAULTS = { maxEvents: 100_000, concurrency: 8, pollMs: 1_000, leaseMs: 10_000, flushMs: 30_000 };
const OPTION_NAMES: Record<keyof FileSpoolOptions, unknown> = {
  dir: true,
  ...DEFAULTS,
  onDelivered: true,
  onDead: true,
  onHalted: true,
};
/**
 * With a larger backlog, a new event waits for the next poll instead of triggering a scan of the folder.
 * Scans take longer the more files there are.
 */
const MAX_BACKLOG_FOR_EAGER_SCAN = 1_000;

/** The objects that the spool creates when it gets its client. */
interface SpoolSession {
  readonly client: SpoolClient;
  readonly delivery: Delivery;
  readonly directorySync: DirectorySync;
}

/** The implementation of `fileSpool`. Tests can pass another file system. */
export class FileSpool implements Spool {
  readonly #limits: typeof DEFAULTS = { ...DEFAULTS };
  readonly #hooks: FileSpoolHooks;
  readonly #directory: Directory;
  readonly #deadLetters: DeadLetterCount;
  readonly #lease: Lease;
  readonly #namer = new EntryNamer();
  readonly #waiters = new FlushWaiters();
  readonly #pendingPuts = new Set<Promise<string>>();
  readonly #scan = coalesce(() => this.#scanNow());
  #session: SpoolSession | undefined;
  #opening: Promise<unknown> | undefined;
  #currentTick: Promise<void> = Promise.resolve();
  #cancelNextTick: (() => void) | undefined;
  /** Events of this process that no scan has found yet. The value says whether the file is already stored. */
  readonly #unscanned = new Map<string, boolean>();
  #isClosed = false;
  #closing: Promise<void> | undefined;
  #hasWarned = false;

  constructor(options: FileSpoolOptions, files: FileSystem & LeaseFileSystem) {
    rejectUnknownOptions(options, OPTION_NAMES);
    const { dir } = options;
    if (typeof dir !== 'string' || dir === '') throw configurationError('dir must be the path of a folder');
    for (const name of Object.keys(DEFAULTS) as (keyof typeof DEFAULTS)[]) {
      this.#limits[name] = readInteger(name, options[name] ?? DEFAULTS[name], 1);
    }
    this.#hooks = options;
    const { leaseMs, pollMs } = this.#limits;
    this.#directory = new Directory(dir, files);
    this.#deadLetters = new DeadLetterCount(this.#directory);
    this.#lease = new Lease(join(dir, 'lock'), Math.ceil(leaseMs / pollMs), files);
  }

  readonly #warn = (error: unknown): void => {
    if (this.#isClosed || this.#hasWarned) return;
    // Warn once until the next success, because the spool retries at every poll.
    this.#hasWarned = true;
    const fields = { dir: this.#directory.path, error: String(error) };
    this.#session?.client.logger.warn('The spool could not be read', fields);
  };

  start(client: SpoolClient): void {
    if (this.#session !== undefined) {
      throw configurationError('This spool already has a client: create a spool for each client');
    }
    const delivery = new Delivery({
      directory: this.#directory,
      client,
      hooks: this.#hooks,
      deadLetters: this.#deadLetters,
      concurrency: this.#limits.concurrency,
      onSettled: (name) => {
        this.#unscanned.delete(name);
        this.#session?.directorySync.noteSettled(name);
        this.#waiters.settle(name);
      },
      onHalted: (error) => this.#waiters.reject(error),
    });
    this.#session = {
      client,
      delivery,
      directorySync: new DirectorySync(this.#directory, delivery.backlog, this.#namer),
    };
    this.#startTick();
  }

  put(event: SpooledEvent): Promise<string> {
    const put = this.#store(event).finally(() => this.#pendingPuts.delete(put));
    this.#pendingPuts.add(put);
    return put;
  }

  async flush(): Promise<void> {
    await Promise.allSettled(this.#pendingPuts);
    const { client, delivery } = this.#requireOpen();
    await this.#open();
    await this.#scan();
    const { settled, reject } = this.#waiters.wait(delivery.backlog.names());
    const cancel = client.runtime.setTimer(this.#limits.flushMs, () => {
      const cause = delivery.lastFailure;
      const reason = cause === undefined ? 'no delivery has failed so far' : errorSummary(cause);
      const message = `The flush exceeded flushMs (${this.#limits.flushMs}) with ${delivery.backlog.size} events undelivered: ${reason}`;
      reject(new AffkitTimeoutError(message, { code: 'flush_timeout', retryable: true, cause }));
    });
    delivery.flushNow();
    return settled.finally(cancel);
  }

  close(): Promise<void> {
    this.#closing ??= this.#closeNow();
    return this.#closing;
  }

  async #closeNow(): Promise<void> {
    this.#isClosed = true;
    await Promise.allSettled(this.#pendingPuts);
    this.#cancelNextTick?.();
    await this.#currentTick;
    await this.#session?.delivery.close();
    this.#waiters.reject(closed());
    // If the lock file remains, another process takes over after `leaseMs`, as after a crash.
    await this.#lease.release().catch(() => {});
  }

  stats(): SpoolStats {
    const delivery = this.#session?.delivery;
    return {
      queued: this.#countQueued(),
      dead: this.#deadLetters.value,
      inFlight: delivery?.inFlight ?? 0,
      isDelivering: this.#lease.isHeld,
      isHalted: delivery?.isHalted ?? false,
      heldUpBy: delivery?.lastFailure,
    };
  }

  async #store(event: SpooledEvent): Promise<string> {
    const { client, delivery } = this.#requireSession();
    await this.#open();
    // Other processes may have delivered events since the last scan.
    if (this.#isFull()) await this.#scan().catch(this.#warn);
    if (this.#isFull()) {
      const message = `The spool ${this.#directory.path} is full: it contains maxEvents (${this.#limits.maxEvents}) events. This call stored no event`;
      throw new AffkitSpoolFullError(message, {
        code: 'spool_full',
        retryable: true,
        cause: delivery.lastFailure,
      });
    }
    const name = this.#namer.next(event, client.runtime.now());
    this.#unscanned.set(name, false);
    try {
      await this.#directory.store(name, JSON.stringify(event));
    } catch (error) {
      this.#unscanned.delete(name);
      throw error;
    }
    if (this.#unscanned.has(name)) this.#unscanned.set(name, true);
    if (this.#isClosed) {
      // The application may still record events while it shuts down. Rejecting these events would lose them.
      const message = 'The spool is closed. The next client will send this event';
      client.logger.warn(message, { id: name, dir: this.#directory.path });
    } else if (delivery.backlog.size < MAX_BACKLOG_FOR_EAGER_SCAN) {
      this.#scan().catch(this.#warn);
    }
    return name;
  }

  #open(): Promise<unknown> {
    this.#opening ??= this.#directory
      .create()
      // A failure to list the folders must not prevent storing events. Every poll lists them too, and logs a failure.
      .then(() => Promise.allSettled([this.#deadLetters.refresh(), this.#scan()]))
      .catch((error: unknown) => {
        // Let the next call retry: the disk may be mounted by then.
        this.#opening = undefined;
        throw error;
      });
    return this.#opening;
  }

  async #scanNow(): Promise<void> {
    const { delivery, directorySync } = this.#requireSession();
    const stored = [...this.#unscanned].filter(([, isStored]) => isStored);
    const { gone, needsConfirmation } = await directorySync.sync();
    for (const [name] of stored) this.#unscanned.delete(name);
    for (const name of gone) delivery.settle(name);
    if (needsConfirmation) this.#scan().catch(this.#warn);
    delivery.pump();
  }

  #countQueued(): number {
    const backlog = this.#session?.delivery.backlog;
    const unscanned = [...this.#unscanned.keys()].filter((name) => backlog?.has(name) !== true);
    return unscanned.length + (backlog?.size ?? 0);
  }

  #isFull(): boolean {
    return this.#countQueued() >= this.#limits.maxEvents;
  }

  #startTick(): void {
    const { runtime } = this.#requireSession().client;
    this.#currentTick = this.#tick().then(() => {
      this.#hasWarned = false;
    }, this.#warn);
    this.#currentTick.then(() => {
      if (this.#isClosed) return;
      this.#cancelNextTick = runtime.setTimer(this.#limits.pollMs, () => this.#startTick(), true);
    });
  }

  async #tick(): Promise<void> {
    const { delivery, directorySync } = this.#requireOpen();
    await this.#open();
    try {
      await this.#lease.tick();
    } finally {
      delivery.setActive(this.#lease.isHeld);
    }
    await this.#scan();
    await this.#deadLetters.refresh();
    if (this.#lease.isHeld) await directorySync.sweepDrafts();
  }

  #requireSession(): SpoolSession {
    if (this.#session !== undefined) return this.#session;
    throw configurationError('The spool has no client: pass it to new Affkit({ spool })');
  }

  #requireOpen(): SpoolSession {
    const session = this.#requireSession();
    if (this.#isClosed) throw closed();
    return session;
  }
}

function closed(): AffkitConfigurationError {
  return new AffkitConfigurationError('The spool is closed: create a new client', { code: 'spool_closed' });
}
