import { join } from 'node:path';
import { refuseUnknownOptions, wholeNumber } from '../check-option.ts';
import {
  AffkitConfigurationError,
  AffkitSpoolFullError,
  AffkitTimeoutError,
  configurationError,
} from '../errors.ts';
import { reasonOf } from '../redact.ts';
import { DeadLetterCount } from './dead-letter-count.ts';
import { Delivery } from './delivery.ts';
import { Directory, type Files } from './directory.ts';
import { DirectorySync } from './directory-sync.ts';
import { Namer } from './entry.ts';
import { Lease, type LeaseFiles } from './lease.ts';
import type { FileSpoolOptions, SpoolHooks } from './options.ts';
import { share } from './share.ts';
import type { Spool, SpoolClient, SpooledEvent, SpoolStats } from './spool.ts';
import { Waiters } from './waiters.ts';

const OPTION_NAMES: Record<keyof FileSpoolOptions, true> = {
  dir: true,
  maxEvents: true,
  concurrency: true,
  pollMs: true,
  leaseMs: true,
  flushMs: true,
  onDelivered: true,
  onDead: true,
};
/** Beyond it a new event waits for the next look at the folder, so that none costs more than it brings. */
const FEW = 1_000;

/** What there is while a client is served. */
interface Service {
  readonly client: SpoolClient;
  readonly delivery: Delivery;
  readonly lookout: DirectorySync;
}

/** What `fileSpool` makes, on any file system. */
export class FileSpool implements Spool {
  readonly #maxEvents: number;
  readonly #concurrency: number;
  readonly #pollMs: number;
  readonly #flushMs: number;
  readonly #hooks: SpoolHooks;
  readonly #directory: Directory;
  readonly #dead: DeadLetterCount;
  readonly #lease: Lease;
  readonly #namer = new Namer();
  readonly #waiters = new Waiters();
  readonly #puts = new Set<Promise<string>>();
  readonly #look = share(() => this.#lookNow());
  #service: Service | undefined;
  #opening: Promise<void> | undefined;
  #ticking: Promise<void> = Promise.resolve();
  #cancelTick: (() => void) | undefined;
  /** Names of this process that no look has shown yet, and whether their files are there. */
  readonly #unseen = new Map<string, boolean>();
  #isClosed = false;
  #isWarned = false;

  constructor(options: FileSpoolOptions, files: Files & LeaseFiles) {
    refuseUnknownOptions(options, OPTION_NAMES);
    const { dir, onDelivered, onDead } = options;
    if (typeof dir !== 'string' || dir === '') throw configurationError('dir must name a folder');
    this.#maxEvents = wholeNumber('maxEvents', options.maxEvents ?? 100_000, 1);
    this.#concurrency = wholeNumber('concurrency', options.concurrency ?? 8, 1);
    this.#flushMs = wholeNumber('flushMs', options.flushMs ?? 30_000, 1);
    this.#pollMs = wholeNumber('pollMs', options.pollMs ?? 1_000, 1);
    const leaseMs = wholeNumber('leaseMs', options.leaseMs ?? 10_000, 1);
    this.#hooks = { onDelivered, onDead };
    this.#directory = new Directory(dir, files);
    this.#dead = new DeadLetterCount(this.#directory);
    this.#lease = new Lease(join(dir, 'lock'), Math.ceil(leaseMs / this.#pollMs), files);
  }

  start(client: SpoolClient): void {
    if (this.#service !== undefined) throw configurationError('A spool serves one client: make another one');
    const delivery = new Delivery({
      directory: this.#directory,
      client,
      hooks: this.#hooks,
      concurrency: this.#concurrency,
      onSettled: (name) => {
        this.#unseen.delete(name);
        this.#service?.lookout.noteSettled(name);
        this.#waiters.settle(name);
      },
      onBuried: (name) => this.#dead.noteBuried(name),
      onHalted: (error) => this.#waiters.reject(error),
    });
    this.#service = {
      client,
      delivery,
      lookout: new DirectorySync(this.#directory, delivery.backlog, this.#namer),
    };
    this.#startTick();
  }

  async put(event: SpooledEvent): Promise<string> {
    const put = this.#put(event);
    this.#puts.add(put);
    try {
      return await put;
    } finally {
      this.#puts.delete(put);
    }
  }

  async flush(): Promise<void> {
    await Promise.allSettled(this.#puts);
    const { client, delivery } = this.#whileOpen();
    await this.#open();
    await this.#look();
    const { settled, reject } = this.#waiters.wait(delivery.backlog.names());
    const cancel = client.runtime.setTimer(this.#flushMs, () => {
      const cause = delivery.heldUpBy;
      const why = cause === undefined ? 'no delivery has failed so far' : reasonOf(cause);
      const message = `${delivery.backlog.size} events are still kept after flushMs ${this.#flushMs}: ${why}`;
      reject(new AffkitTimeoutError(message, { code: 'flush_timeout', retryable: true, cause }));
    });
    delivery.hurry();
    return settled.finally(cancel);
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await Promise.allSettled(this.#puts);
    this.#cancelTick?.();
    await this.#ticking;
    await this.#service?.delivery.close();
    await this.#lease.release();
    this.#waiters.reject(closed());
  }

  stats(): SpoolStats {
    const delivery = this.#service?.delivery;
    return {
      queued: this.#queued(),
      dead: this.#dead.value,
      inFlight: delivery?.inFlight ?? 0,
      isDelivering: this.#lease.isHeld,
      heldUpBy: delivery?.heldUpBy,
    };
  }

  async #put(event: SpooledEvent): Promise<string> {
    const { client, delivery } = this.#whileOpen();
    await this.#open();
    if (this.#queued() >= this.#maxEvents) await this.#look();
    if (this.#queued() >= this.#maxEvents) {
      const message = `The spool ${this.#directory.path} holds maxEvents ${this.#maxEvents}: the event is not kept`;
      throw new AffkitSpoolFullError(message, {
        code: 'spool_full',
        retryable: true,
        cause: delivery.heldUpBy,
      });
    }
    const name = this.#namer.next(event, client.runtime.now());
    this.#unseen.set(name, false);
    try {
      await this.#directory.store(name, JSON.stringify({ operation: event.operation, body: event.body }));
    } catch (error) {
      this.#unseen.delete(name);
      throw error;
    }
    if (this.#unseen.has(name)) this.#unseen.set(name, true);
    if (delivery.backlog.size < FEW) this.#look().catch((error: unknown) => this.#warn(error));
    return name;
  }

  #open(): Promise<void> {
    this.#opening ??= this.#directory
      .create()
      // Events are kept all the same where they can't be counted.
      .then(() => this.#dead.look().catch((error: unknown) => this.#warn(error)))
      .then(() => this.#look())
      .catch((error: unknown) => {
        // The next one may find the disk mounted.
        this.#opening = undefined;
        throw error;
      });
    return this.#opening;
  }

  async #lookNow(): Promise<void> {
    const service = this.#service;
    if (service === undefined || this.#isClosed) return;
    const stored = [...this.#unseen].filter(([, isThere]) => isThere);
    const { gone, isUnsure } = await service.lookout.sync();
    for (const [name] of stored) this.#unseen.delete(name);
    service.delivery.forget(gone);
    if (isUnsure) this.#look().catch((error: unknown) => this.#warn(error));
    service.delivery.pump();
  }

  #queued(): number {
    const backlog = this.#service?.delivery.backlog;
    const unseen = [...this.#unseen.keys()].filter((name) => backlog?.has(name) !== true);
    return unseen.length + (backlog?.size ?? 0);
  }

  #startTick(): void {
    this.#ticking = this.#tick().then(
      () => {
        this.#isWarned = false;
      },
      (error: unknown) => this.#warn(error),
    );
    this.#ticking.then(() => {
      if (this.#isClosed) return;
      this.#cancelTick = this.#service?.client.runtime.setTimer(this.#pollMs, () => this.#startTick(), true);
    });
  }

  async #tick(): Promise<void> {
    const { delivery, lookout } = this.#whileOpen();
    await this.#open();
    try {
      await this.#lease.tick();
    } finally {
      delivery.setActive(this.#lease.isHeld);
    }
    await this.#look();
    await this.#dead.look();
    if (this.#lease.isHeld) await lookout.sweep();
  }

  #whileOpen(): Service {
    if (this.#service === undefined)
      throw configurationError('A spool is given to a client first: new Affkit({ spool })');
    if (this.#isClosed) throw closed();
    return this.#service;
  }

  #warn(error: unknown): void {
    const fields = { dir: this.#directory.path, error: String(error) };
    if (this.#isClosed || this.#isWarned) return;
    // Once, until it can be read again: it is tried every second.
    this.#isWarned = true;
    this.#service?.client.logger.warn('The spool could not be read', fields);
  }
}

function closed(): AffkitConfigurationError {
  return new AffkitConfigurationError('The spool is closed', { code: 'spool_closed' });
}
