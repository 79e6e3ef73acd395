import { AffkitError, AffkitUnexpectedReplyError } from '../errors.ts';
import { correctRejectedTime, withCurrentAge } from '../event-time.ts';
import { decideFailureAction, MAX_UNEXPECTED_REPLIES, mayBeEventSpecific } from '../failure-action.ts';
import { callHook } from '../hooks.ts';
import { isRecord } from '../input/check.ts';
import { Backlog } from './backlog.ts';
import type { Directory } from './directory.ts';
import type { Entry } from './entry.ts';
import type { SpoolHooks } from './options.ts';
import type { SpoolClient, SpooledEvent } from './spool.ts';

/** Delay after a failure that affects every event, e.g. a rejected token. */
const HALT_MS = 60_000;
const INITIAL_BACKOFF_MS = 1_000;
const MAX_BACKOFF_MS = 30_000;
/** Maximum backoff of an event that fails while others may succeed. */
const MAX_EVENT_BACKOFF_MS = 300_000;
/** After this many failures a lead no longer blocks the sale of the same customer. */
const MAX_BLOCKING_LEAD_FAILURES = 3;

/** Sends the stored events while this process holds the lease. */
export class Delivery {
  readonly backlog = new Backlog();
  readonly #directory: Directory;
  readonly #client: SpoolClient;
  readonly #hooks: SpoolHooks;
  readonly #concurrency: number;
  readonly #onSettled: (name: string) => void;
  readonly #onDeadLetter: (name: string) => void;
  readonly #onHalted: (error: Error) => void;
  readonly #running = new Set<Promise<void>>();
  /** Number of failures of each event that the event itself may have caused. */
  readonly #eventFailures = new Map<string, number>();
  /** The backoff timers of single events. `end` cancels the timer, `resume` also makes the event ready. */
  readonly #eventBackoffs = new Map<string, { readonly end: () => void; readonly resume: () => void }>();
  #consecutiveFailures = 0;
  /** Number of requests, since the last reply of Affkit, that something else answered. */
  #unexpectedReplies = 0;
  #hasReportedHalt = false;
  /** Ends the current backoff of all deliveries; undefined without a backoff. */
  #endBackoff: (() => void) | undefined;
  #isActive = false;
  /** The last failure; undefined after a success. */
  lastFailure: Error | undefined;
  /** Whether every event would fail the same way until the configuration is fixed. */
  isHalted = false;

  constructor(options: {
    readonly directory: Directory;
    readonly client: SpoolClient;
    readonly hooks: SpoolHooks;
    readonly concurrency: number;
    /** Called when an entry was delivered, rejected or removed by another process. */
    readonly onSettled: (name: string) => void;
    /** Called when an entry was moved to `dead/`, before `onSettled`. */
    readonly onDeadLetter: (name: string) => void;
    /** Called when a failure would affect every event. */
    readonly onHalted: (error: Error) => void;
  }) {
    this.#directory = options.directory;
    this.#client = options.client;
    this.#hooks = options.hooks;
    this.#concurrency = options.concurrency;
    this.#onSettled = options.onSettled;
    this.#onDeadLetter = options.onDeadLetter;
    this.#onHalted = options.onHalted;
  }

  get inFlight(): number {
    return this.#running.size;
  }

  /** Starts or stops sending. */
  setActive(isActive: boolean): void {
    this.#isActive = isActive;
    this.pump();
  }

  /** Starts requests up to the concurrency limit, which is 1 after a failure. */
  pump(): void {
    while (this.#isActive && this.#endBackoff === undefined) {
      if (this.#running.size >= (this.#consecutiveFailures > 0 ? 1 : this.#concurrency)) return;
      const entry = this.backlog.take();
      if (entry === undefined) return;
      const run = this.#run(entry).finally(() => {
        this.#running.delete(run);
        this.pump();
      });
      this.#running.add(run);
    }
  }

  /** Ends all backoffs immediately. */
  flushNow(): void {
    for (const { resume } of [...this.#eventBackoffs.values()]) resume();
    this.#endBackoff?.();
  }

  /** Removes entries that another process has delivered or moved away. */
  forget(names: readonly string[]): void {
    for (const name of names) this.#settle(name);
  }

  async close(): Promise<void> {
    this.#isActive = false;
    await Promise.all(this.#running);
    this.flushNow();
  }

  async #run(entry: Entry): Promise<void> {
    let event: SpooledEvent | undefined;
    try {
      const content = await this.#directory.read(entry.name);
      if (content === undefined) return this.#settle(entry.name);
      event = readEvent(content);
      if (event === undefined) {
        const message = `The spool file ${entry.name} does not contain a valid event`;
        const error = new AffkitError(message, { code: 'spool_file_invalid' });
        return await this.#moveToDead(entry, undefined, error);
      }
      // The server cannot attribute this event before its lead, so a failure must not discard the event.
      const mustBeAttributed = this.backlog.hasOvertaken(entry);
      const result = await this.#send(event, mustBeAttributed);
      await this.#directory.remove(entry.name);
      this.#clearFailures();
      this.#settle(entry.name);
      const info = { id: entry.name, operation: event.operation, result };
      callHook(this.#hooks.onDelivered, info, 'onDelivered', this.#client.logger);
    } catch (error) {
      await this.#fail(entry, event, error);
    }
  }

  /** Sends an event with its age. Corrects a time that the server rejects, so that the event is not lost. */
  async #send({ operation, body, isTimeOfCall }: SpooledEvent, mustBeAttributed: boolean) {
    const { runtime, logger } = this.#client;
    const deliver = (fields: object) =>
      this.#client.deliver({ operation, body: JSON.stringify(fields) }, { mustBeAttributed });
    const stored = JSON.parse(body) as Readonly<Record<string, unknown>>;
    const event = withCurrentAge(isTimeOfCall ? { ...stored, age_ms: 0 } : stored, runtime.now());
    try {
      return await deliver(event);
    } catch (error) {
      const corrected = correctRejectedTime(event, error);
      if (corrected === undefined) throw error;
      const fields = { operation, occurred_at: event['occurred_at'], error: String(error) };
      logger.warn('The time of the event is wrong: it is sent with its age only', fields);
      return deliver(corrected);
    }
  }

  async #fail(entry: Entry, event: SpooledEvent | undefined, error: unknown): Promise<void> {
    const isUnexpected = error instanceof AffkitUnexpectedReplyError;
    if (isUnexpected) this.#unexpectedReplies += error.attempts;
    const isCutOff = isUnexpected && this.#unexpectedReplies >= MAX_UNEXPECTED_REPLIES;
    const action = isCutOff ? 'halt' : decideFailureAction(error);
    const fields = { id: entry.name, operation: event?.operation, error: String(error) };
    if (action === 'dead_letter') {
      try {
        return await this.#moveToDead(entry, event, error);
      } catch (cause) {
        this.#client.logger.error('Could not move a rejected event to dead/', {
          ...fields,
          cause: String(cause),
        });
      }
    }
    this.isHalted = action === 'halt';
    this.lastFailure = error instanceof Error ? error : new Error(String(error));
    if (!this.isHalted) this.#client.logger.warn('A spooled event will be retried later', fields);
    else this.#reportHalt(this.lastFailure, fields);
    this.#consecutiveFailures += 1;
    this.#backOff(action === 'halt' ? HALT_MS : this.#backoffMs(this.#consecutiveFailures, MAX_BACKOFF_MS));
    this.#release(entry, mayBeEventSpecific(error));
  }

  #reportHalt(error: Error, fields: Readonly<Record<string, unknown>>): void {
    this.#onHalted(error);
    if (this.#hasReportedHalt) return;
    this.#hasReportedHalt = true;
    const { logger } = this.#client;
    logger.error('The spool is halted until the cause of the error is fixed', fields);
    callHook(this.#hooks.onHalted, { error }, 'onHalted', logger);
  }

  #release(entry: Entry, isEventSpecific: boolean): void {
    this.backlog.release(entry, isEventSpecific);
    if (!isEventSpecific) return;
    const failures = (this.#eventFailures.get(entry.name) ?? 0) + 1;
    this.#eventFailures.set(entry.name, failures);
    if (entry.isLead && failures >= MAX_BLOCKING_LEAD_FAILURES) this.backlog.stopBlocking(entry);
    const end = () => {
      cancel();
      this.#eventBackoffs.delete(entry.name);
    };
    const resume = () => {
      end();
      this.backlog.resume(entry.name);
      this.pump();
    };
    const delayMs = this.#backoffMs(failures, MAX_EVENT_BACKOFF_MS);
    const cancel = this.#client.runtime.setTimer(delayMs, resume, true);
    this.#eventBackoffs.set(entry.name, { end, resume });
  }

  async #moveToDead(entry: Entry, event: SpooledEvent | undefined, error: unknown): Promise<void> {
    await this.#directory.moveToDead(entry.name, { error });
    this.#onDeadLetter(entry.name);
    this.#clearFailures();
    this.#settle(entry.name);
    const fields = { id: entry.name, operation: event?.operation, error: String(error) };
    this.#client.logger.error('The server rejected a spooled event. It was moved to dead/', fields);
    const info = { id: entry.name, operation: event?.operation, error };
    callHook(this.#hooks.onDead, info, 'onDead', this.#client.logger);
  }

  #settle(name: string): void {
    this.#eventFailures.delete(name);
    this.#eventBackoffs.get(name)?.end();
    this.backlog.finish(name);
    this.#onSettled(name);
  }

  #clearFailures(): void {
    this.#consecutiveFailures = 0;
    this.#unexpectedReplies = 0;
    this.#hasReportedHalt = false;
    this.lastFailure = undefined;
    this.isHalted = false;
  }

  #backOff(delayMs: number): void {
    if (this.#endBackoff !== undefined) return;
    const end = () => {
      cancel();
      this.#endBackoff = undefined;
      this.pump();
    };
    const cancel = this.#client.runtime.setTimer(delayMs, end, true);
    this.#endBackoff = end;
  }

  /**
   * Exponential backoff with jitter between 50 % and 100 %, so that many clients do not retry at the same
   * time.
   */
  #backoffMs(failures: number, maxMs: number): number {
    const delayMs = Math.min(maxMs, INITIAL_BACKOFF_MS * 2 ** Math.min(failures - 1, 20));
    return delayMs * (0.5 + this.#client.runtime.random() / 2);
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
  const isTimeOfCall = value['isTimeOfCall'] === true;
  const isKnown = operation === 'sale' || operation === 'refund' || operation === 'lead';
  return isKnown && typeof body === 'string' ? { operation, body, isTimeOfCall } : undefined;
}
