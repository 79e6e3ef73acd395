import { AffkitError, AffkitUnexpectedReplyError } from '../errors.ts';
import { correctRejectedTime, withCurrentAge } from '../event-time.ts';
import { decideFailureAction, MAX_UNEXPECTED_REPLIES, mayBeEventSpecific } from '../failure-action.ts';
import { callHook } from '../hooks.ts';
import { parseObject } from '../input/check.ts';
import { errorCodeOf, errorSummary } from '../redact.ts';
import type { Operation } from '../retry.ts';
import { transactionIdTakenError } from '../transaction-id-taken.ts';
import { unattributedResult } from '../unattributed.ts';
import { Backlog } from './backlog.ts';
import type { DeadLetterCount } from './dead-letter-count.ts';
import type { Directory } from './directory.ts';
import { type Entry, LETTERS } from './entry.ts';
import type { FileSpoolHooks } from './options.ts';
import type { SpoolClient, SpooledEvent } from './spool.ts';

/** Delay after a failure that affects every event, e.g. a rejected token. */
const HALT_MS = 60_000;
const INITIAL_DELIVERY_BACKOFF_MS = 1_000;
const MAX_DELIVERY_BACKOFF_MS = 30_000;
/** Maximum backoff of an event that fails while others may succeed. */
const MAX_EVENT_BACKOFF_MS = 300_000;
/** After this many failures a lead no longer blocks the sale of the same customer. */
const MAX_BLOCKING_LEAD_FAILURES = 3;
/**
 * The next failure after this many is reported: a file that still cannot be read is moved to `dead/`. Another event is
 * logged once as an error, if other events may still succeed.
 */
const UNREPORTED_FAILURES = 4;
const RETRIED_LATER = 'A spooled event will be retried later';
/** Error codes that mean a shortage of memory or file handles, not a fault of the file. */
const RESOURCE_CODES: ReadonlySet<string | undefined> = new Set(['EMFILE', 'ENFILE', 'ENOMEM', 'EAGAIN']);

interface DeliveryOptions {
  readonly directory: Directory;
  readonly client: SpoolClient;
  readonly hooks: FileSpoolHooks;
  readonly concurrency: number;
  /** Called when an entry was delivered or moved to `dead/`, or when another process has removed its file. */
  readonly onSettled: (name: string) => void;
  /** Counts the entries that were moved to `dead/`. */
  readonly deadLetters: DeadLetterCount;
  /** Called when a failure would affect every event. */
  readonly onHalted: (error: Error) => void;
}

/** The fields of the log messages about a failure. */
type FailureFields = {
  readonly id: string;
  readonly operation: Operation | undefined;
  readonly error: string;
};

/** Sends the stored events while this process holds the lease. */
export class Delivery {
  readonly backlog = new Backlog();
  readonly #options: DeliveryOptions;
  readonly #running = new Set<Promise<void>>();
  /** For each event, how many failures the event itself may have caused. */
  readonly #eventFailures = new Map<string, number>();
  /** The backoff timers of single events. `end` cancels the timer, `resume` also makes the event ready. */
  readonly #eventBackoffs = new Map<string, { readonly end: () => void; readonly resume: () => void }>();
  /** Events that failed, perhaps by their own fault. Cleared when the server accepts or rejects an event. */
  readonly #suspects = new Set<string>();
  #consecutiveFailures = 0;
  /** Number of unexpected replies since the server last accepted or rejected an event. */
  #unexpectedReplies = 0;
  #hasReportedHalt = false;
  /** Ends the backoff that pauses all deliveries; undefined if there is none. */
  #endBackoff: (() => void) | undefined;
  /** How many pauses of all deliveries have ended. If this changes while an event is being sent, a pause has ended. */
  #endedBackoffs = 0;
  #isActive = false;
  /** The last failure; undefined after a success. */
  lastFailure: Error | undefined;
  /** Whether delivery is halted, because probably every event would fail until the cause is fixed. */
  isHalted = false;

  constructor(options: DeliveryOptions) {
    this.#options = options;
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
      if (this.#running.size >= (this.#consecutiveFailures > 0 ? 1 : this.#options.concurrency)) return;
      // After failures, prefer an event that has not failed yet. Its result shows best whether the server works.
      const entry = this.backlog.take(this.#consecutiveFailures > 0 ? this.#eventFailures : undefined);
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
    this.#resumeAll();
    this.#endBackoff?.();
  }

  /** Removes an entry that was delivered or moved to `dead/`, by this process or by another one. */
  settle(name: string): void {
    this.#eventFailures.delete(name);
    this.#eventBackoffs.get(name)?.end();
    this.backlog.finish(name);
    this.#options.onSettled(name);
  }

  async close(): Promise<void> {
    this.#isActive = false;
    await Promise.all(this.#running);
    this.flushNow();
  }

  async #run(entry: Entry): Promise<void> {
    let event: SpooledEvent | undefined;
    const endedBackoffs = this.#endedBackoffs;
    try {
      event = await this.#readEvent(entry);
      if (event === undefined) return this.settle(entry.name);
      // The lead of the same customer may still be undelivered. In this case, a missing partner must not
      // discard the event.
      const mustBeAttributed = this.backlog.hasUndeliveredPredecessor(entry);
      const result = await this.#send(event, mustBeAttributed);
      const takenError = transactionIdTakenError(result);
      if (takenError !== undefined) throw takenError;
      this.#clearFailures();
      await this.#remove(entry);
      const info = { id: entry.name, operation: event.operation, result };
      callHook(this.#options.hooks, 'onDelivered', info, this.#options.client.logger);
    } catch (error) {
      await this.#fail(entry, event, error, endedBackoffs !== this.#endedBackoffs);
    }
  }

  /**
   * Reads the file of an entry. Returns undefined if another process has removed it.
   *
   * @throws AffkitError if the file can never be delivered
   */
  async #readEvent(entry: Entry): Promise<SpooledEvent | undefined> {
    let content: string | undefined;
    try {
      content = await this.#options.directory.read(entry.name);
    } catch (cause) {
      if (RESOURCE_CODES.has(errorCodeOf(cause))) throw cause;
      const message = `The spool file ${entry.name} cannot be read: ${errorSummary(cause)}`;
      throw new AffkitError(message, { code: 'spool_file_unreadable', cause });
    }
    if (content === undefined) return undefined;
    const event = parseSpooledEvent(content);
    if (event !== undefined) return event;
    const message = `The spool file ${entry.name} is not a valid event`;
    throw new AffkitError(message, { code: 'spool_file_invalid' });
  }

  /** Removes the file of a delivered event. If that fails, only this event is sent again, after a backoff. */
  async #remove(entry: Entry): Promise<void> {
    try {
      await this.#options.directory.remove('ready', entry.name);
      this.settle(entry.name);
    } catch (error) {
      const message = 'Could not remove a delivered event, so it will be sent again';
      this.#options.client.logger.error(message, { id: entry.name, error: String(error) });
      this.lastFailure = toError(error);
      this.#release(entry, true);
    }
  }

  /** Sends an event with its age. Corrects a time that the server rejects, so that the event is not lost. */
  async #send({ operation, body, isTimeOfCall }: SpooledEvent, mustBeAttributed: boolean) {
    const { runtime, logger } = this.#options.client;
    const deliver = (fields: object) =>
      this.#options.client.deliver({ operation, body: JSON.stringify(fields) }, { mustBeAttributed });
    const stored = JSON.parse(body) as Readonly<Record<string, unknown>>;
    const event = withCurrentAge(isTimeOfCall ? { ...stored, age_ms: 0 } : stored, runtime.now());
    try {
      return await deliver(event);
    } catch (error) {
      const corrected = correctRejectedTime(event, error);
      if (corrected === undefined) throw error;
      const fields = { operation, occurred_at: event['occurred_at'], error: String(error) };
      logger.warn('The server rejected the time of a spooled event, so only its age is sent', fields);
      return deliver(corrected);
    }
  }

  /** @param isOutdated whether the event was sent before the last backoff ended */
  async #fail(
    entry: Entry,
    event: SpooledEvent | undefined,
    error: unknown,
    isOutdated: boolean,
  ): Promise<void> {
    const { logger } = this.#options.client;
    const failures = this.#eventFailures.get(entry.name) ?? 0;
    const fields: FailureFields = { id: entry.name, operation: event?.operation, error: String(error) };
    // Before the event has been read, only a bad file causes an `AffkitError`. It says nothing about the server.
    if (!event && error instanceof AffkitError) {
      // The error has a cause if the file could not be read. The next attempt may succeed.
      if (!error.cause || failures >= UNREPORTED_FAILURES) return this.#moveToDead(entry, error, fields);
      this.#release(entry, true);
      return logger.warn(RETRIED_LATER, fields);
    }
    const isUnexpected = error instanceof AffkitUnexpectedReplyError;
    // A proxy or firewall may refuse only this event. Other events then need not wait.
    const isSuspect = isUnexpected || mayBeEventSpecific(error);
    if (isSuspect) this.#suspects.add(entry.name);
    const isAlone = isSuspect && this.#suspects.size === 1;
    if (isUnexpected) this.#unexpectedReplies += error.attempts;
    const isCutOff = isUnexpected && this.#unexpectedReplies >= MAX_UNEXPECTED_REPLIES;
    const action = isCutOff ? 'halt' : decideFailureAction(error);
    // The server may find the partner once it has the lead of the same customer.
    const isEarly =
      event !== undefined &&
      unattributedResult(event.operation, error) !== undefined &&
      this.backlog.hasUndeliveredPredecessor(entry);
    if (action === 'dead_letter') {
      // A rejection shows that the server works.
      this.#clearFailures();
      if (!isEarly) return this.#moveToDead(entry, error, fields);
    } else if (!isOutdated) {
      // A request that was sent before the last backoff ended must not start another backoff.
      this.isHalted = action === 'halt';
      if (!isAlone) this.#backOff(action);
    }
    this.lastFailure = toError(error);
    this.#release(entry, isSuspect || isEarly);
    if (this.isHalted && !isOutdated) return this.#reportHalt(this.lastFailure, fields);
    logger[isAlone && failures === UNREPORTED_FAILURES ? 'error' : 'warn'](RETRIED_LATER, fields);
  }

  #reportHalt(error: Error, fields: FailureFields): void {
    this.#options.onHalted(error);
    if (this.#hasReportedHalt) return;
    this.#hasReportedHalt = true;
    const { logger } = this.#options.client;
    logger.error('The spool is halted until the cause of the error is fixed', fields);
    callHook(this.#options.hooks, 'onHalted', { error }, logger);
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
    const delayMs = this.isHalted ? HALT_MS : this.#backoffMs(failures, MAX_EVENT_BACKOFF_MS);
    const cancel = this.#options.client.runtime.setTimer(delayMs, resume, true);
    this.#eventBackoffs.set(entry.name, { end, resume });
  }

  /**
   * Moves an event to `dead/`. If the move fails, the event is retried later. This delays the events behind it (see
   * `Backlog`), but no other events.
   */
  async #moveToDead(entry: Entry, error: unknown, fields: FailureFields): Promise<void> {
    const { logger } = this.#options.client;
    try {
      await this.#options.directory.moveToDead(entry.name, { error });
    } catch (cause) {
      logger.error('Could not move a spooled event to dead/', { ...fields, cause: String(cause) });
      this.lastFailure = toError(cause);
      return this.#release(entry, true);
    }
    this.#options.deadLetters.noteAdded(entry.name);
    this.settle(entry.name);
    logger.error('Moved a spooled event to dead/', fields);
    callHook(this.#options.hooks, 'onDead', { ...fields, error }, logger);
  }

  #clearFailures(): void {
    // If exactly one event is suspected, it may have caused the halt, so it keeps its backoff. Otherwise, all events
    // failed for a common reason, which is gone now. Send them again immediately.
    if (this.isHalted && this.#suspects.size !== 1) this.#resumeAll();
    this.#consecutiveFailures = 0;
    this.#unexpectedReplies = 0;
    this.#suspects.clear();
    this.#hasReportedHalt = false;
    this.lastFailure = undefined;
    this.isHalted = false;
  }

  #resumeAll(): void {
    for (const { resume } of [...this.#eventBackoffs.values()]) resume();
  }

  /** Pauses all deliveries. Requests that fail during the backoff do not extend it. */
  #backOff(action: 'halt' | 'retry'): void {
    if (this.#endBackoff !== undefined) return;
    this.#consecutiveFailures += 1;
    const end = () => {
      cancel();
      this.#endBackoff = undefined;
      this.#endedBackoffs += 1;
      this.pump();
      // If every event waits for its own backoff, send one of them to find out whether the server works.
      const [oldest] = this.#eventBackoffs.values();
      if (this.#running.size === 0) oldest?.resume();
    };
    const delayMs =
      action === 'halt' ? HALT_MS : this.#backoffMs(this.#consecutiveFailures, MAX_DELIVERY_BACKOFF_MS);
    const cancel = this.#options.client.runtime.setTimer(delayMs, end, true);
    this.#endBackoff = end;
  }

  /**
   * A random delay between 50 % and 100 % of an exponential backoff, so that many clients do not retry at the same
   * time.
   */
  #backoffMs(failures: number, maxMs: number): number {
    const delayMs = Math.min(maxMs, INITIAL_DELIVERY_BACKOFF_MS * 2 ** (failures - 1));
    return delayMs * (0.5 + this.#options.client.runtime.random() / 2);
  }
}

/** Parses the content of a spool file. Returns undefined if it is not an event that can be sent. */
function parseSpooledEvent(content: string): SpooledEvent | undefined {
  const { operation, body, isTimeOfCall } = parseObject(content) ?? {};
  const isKnown = typeof operation === 'string' && Object.hasOwn(LETTERS, operation);
  if (!isKnown || typeof body !== 'string' || !parseObject(body)) return undefined;
  return { operation: operation as Operation, body, isTimeOfCall: isTimeOfCall === true };
}

function toError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}
