import { AffkitError } from '../errors.ts';
import { callHook } from '../hooks.ts';
import { isRecord } from '../input/check.ts';
import { decideVerdict, isOwnFault } from '../verdict.ts';
import { Backlog } from './backlog.ts';
import type { Directory } from './directory.ts';
import type { Entry } from './entry.ts';
import type { SpoolHooks } from './options.ts';
import type { SpoolClient, SpooledEvent } from './spool.ts';

const HALT_MS = 60_000;
const FIRST_REST_MS = 1_000;
const LONGEST_REST_MS = 30_000;
const LONGEST_OWN_REST_MS = 300_000;
/** A lead that the server stumbles over this often is no longer waited for: the sale can do without. */
const LEAD_PATIENCE = 3;

/** Sends what is kept, as long as this process is the one that does. */
export class Delivery {
  readonly backlog = new Backlog();
  readonly #directory: Directory;
  readonly #client: SpoolClient;
  readonly #hooks: SpoolHooks;
  readonly #concurrency: number;
  readonly #onSettled: (name: string) => void;
  readonly #onBuried: (name: string) => void;
  readonly #onHalted: (error: Error) => void;
  readonly #running = new Set<Promise<void>>();
  readonly #ownFailures = new Map<string, number>();
  readonly #ownRests = new Map<string, { readonly end: () => void; readonly wake: () => void }>();
  #failuresInRow = 0;
  #endRest: (() => void) | undefined;
  #isActive = false;
  /** The failure after which nothing has gone out. */
  heldUpBy: Error | undefined;
  /** Would every event fail the same way, until somebody acts? */
  isHalted = false;

  constructor(options: {
    readonly directory: Directory;
    readonly client: SpoolClient;
    readonly hooks: SpoolHooks;
    readonly concurrency: number;
    /** Called for every entry that is no longer to be sent. */
    readonly onSettled: (name: string) => void;
    /** Called for every entry that was moved to `dead`, before `onSettled`. */
    readonly onBuried: (name: string) => void;
    /** Called when every event would be refused. */
    readonly onHalted: (error: Error) => void;
  }) {
    this.#directory = options.directory;
    this.#client = options.client;
    this.#hooks = options.hooks;
    this.#concurrency = options.concurrency;
    this.#onSettled = options.onSettled;
    this.#onBuried = options.onBuried;
    this.#onHalted = options.onHalted;
  }

  get inFlight(): number {
    return this.#running.size;
  }

  /** Sends from now on, or no longer. */
  setActive(isActive: boolean): void {
    this.#isActive = isActive;
    this.pump();
  }

  /** Starts as many requests as may be under way; one alone while the server fails. */
  pump(): void {
    while (this.#isActive && this.#endRest === undefined) {
      if (this.#running.size >= (this.#failuresInRow > 0 ? 1 : this.#concurrency)) return;
      const entry = this.backlog.take();
      if (entry === undefined) return;
      const run = this.#run(entry).finally(() => {
        this.#running.delete(run);
        this.pump();
      });
      this.#running.add(run);
    }
  }

  /** Ends every rest at once. */
  hurry(): void {
    for (const { wake } of [...this.#ownRests.values()]) wake();
    this.#endRest?.();
  }

  /** Entries that another process has dealt with. */
  forget(names: readonly string[]): void {
    for (const name of names) this.#settle(name);
  }

  async close(): Promise<void> {
    this.#isActive = false;
    await Promise.all(this.#running);
    this.hurry();
  }

  async #run(entry: Entry): Promise<void> {
    let event: SpooledEvent | undefined;
    try {
      const content = await this.#directory.read(entry.name);
      if (content === undefined) return this.#settle(entry.name);
      event = readEvent(content);
      if (event === undefined) {
        const error = new AffkitError('The file holds no event', { code: 'spool_file_invalid' });
        return await this.#bury(entry, undefined, error);
      }
      const result = await this.#client.deliver(event);
      await this.#directory.remove(entry.name);
      this.#recover();
      this.#settle(entry.name);
      const info = { id: entry.name, operation: event.operation, result };
      callHook(this.#hooks.onDelivered, info, 'onDelivered', this.#client.logger);
    } catch (error) {
      await this.#fail(entry, event, error);
    }
  }

  async #fail(entry: Entry, event: SpooledEvent | undefined, error: unknown): Promise<void> {
    const verdict = decideVerdict(error);
    const fields = { id: entry.name, operation: event?.operation, error: String(error) };
    if (verdict === 'dead') {
      try {
        return await this.#bury(entry, event, error);
      } catch (cause) {
        this.#client.logger.error('A refused event could not be moved away', {
          ...fields,
          cause: String(cause),
        });
      }
    }
    if (verdict === 'halt') {
      if (!this.isHalted) this.#client.logger.error('The spool stands still until somebody acts', fields);
    } else {
      this.#client.logger.warn('A kept event is sent again later', fields);
    }
    this.isHalted = verdict === 'halt';
    this.heldUpBy = error instanceof Error ? error : new Error(String(error));
    if (this.isHalted) this.#onHalted(this.heldUpBy);
    this.#failuresInRow += 1;
    this.#rest(verdict === 'halt' ? HALT_MS : this.#pauseMs(this.#failuresInRow, LONGEST_REST_MS));
    this.#putBack(entry, isOwnFault(error));
  }

  #putBack(entry: Entry, isItsFault: boolean): void {
    this.backlog.putBack(entry, isItsFault);
    if (!isItsFault) return;
    const failures = (this.#ownFailures.get(entry.name) ?? 0) + 1;
    this.#ownFailures.set(entry.name, failures);
    if (entry.isLead && failures >= LEAD_PATIENCE) this.backlog.stepAside(entry);
    const end = () => {
      cancel();
      this.#ownRests.delete(entry.name);
    };
    const wake = () => {
      end();
      this.backlog.wake(entry.name);
      this.pump();
    };
    const cancel = this.#client.runtime.setTimer(this.#pauseMs(failures, LONGEST_OWN_REST_MS), wake, true);
    this.#ownRests.set(entry.name, { end, wake });
  }

  async #bury(entry: Entry, event: SpooledEvent | undefined, error: unknown): Promise<void> {
    await this.#directory.bury(entry.name, { error });
    this.#onBuried(entry.name);
    this.#recover();
    this.#settle(entry.name);
    const fields = { id: entry.name, operation: event?.operation, error: String(error) };
    this.#client.logger.error('The server refused a kept event: it lies in dead/', fields);
    const info = { id: entry.name, operation: event?.operation, error };
    callHook(this.#hooks.onDead, info, 'onDead', this.#client.logger);
  }

  #settle(name: string): void {
    this.#ownFailures.delete(name);
    this.#ownRests.get(name)?.end();
    this.backlog.finish(name);
    this.#onSettled(name);
  }

  #recover(): void {
    this.#failuresInRow = 0;
    this.heldUpBy = undefined;
    this.isHalted = false;
  }

  #rest(delayMs: number): void {
    if (this.#endRest !== undefined) return;
    const end = () => {
      cancel();
      this.#endRest = undefined;
      this.pump();
    };
    const cancel = this.#client.runtime.setTimer(delayMs, end, true);
    this.#endRest = end;
  }

  /** Doubles; between half of it and all of it, so that many clients do not come back at the same time. */
  #pauseMs(failures: number, longestMs: number): number {
    const pauseMs = Math.min(longestMs, FIRST_REST_MS * 2 ** Math.min(failures - 1, 20));
    return pauseMs * (0.5 + this.#client.runtime.random() / 2);
  }
}

function readEvent(content: string): SpooledEvent | undefined {
  let value: unknown;
  try {
    value = JSON.parse(content);
  } catch {
    return undefined;
  }
  if (!isRecord(value)) return undefined;
  const { operation, body } = value;
  const isKnown = operation === 'sale' || operation === 'refund' || operation === 'lead';
  return isKnown && typeof body === 'string' ? { operation, body } : undefined;
}
