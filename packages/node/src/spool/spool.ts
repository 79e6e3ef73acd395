import type { Logger } from '../log.ts';
import type { LeadDelivered, RefundDelivered, SaleDelivered } from '../results.ts';
import type { Operation } from '../retry.ts';
import type { Runtime } from '../runtime.ts';

/** A validated event, ready to be sent. */
export interface SpooledEvent {
  readonly operation: Operation;
  /** The JSON body of the request. It contains `occurred_at`. */
  readonly body: string;
  /**
   * Whether the spool sends `age_ms`, the time since `occurred_at`, with this event. True if `occurred_at` comes from
   * this machine's clock, or if the caller passed `age_ms`.
   */
  readonly isTimeOfCall?: boolean | undefined;
}

/** The parts of the client that a spool uses. */
export interface SpoolClient {
  readonly runtime: Runtime;
  readonly logger: Logger;
  /**
   * Sends an event, with the retries of a normal call. Throws an `AffkitError` if the event cannot be sent, or
   * if `mustBeAttributed` is set and the event's customer has no partner.
   */
  deliver(
    event: SpooledEvent,
    options: { readonly mustBeAttributed: boolean },
  ): Promise<SaleDelivered | RefundDelivered | LeadDelivered>;
}

/** The state of a spool. Returned by `affkit.stats()`. */
export interface SpoolStats {
  /** Number of stored events that are not delivered yet. */
  readonly queued: number;
  /**
   * Number of events in `dead/`: the server rejected them, or their files cannot be sent. Counted when the spool
   * is first used and after every poll, so changes by other processes appear with a delay.
   */
  readonly dead: number;
  /** Number of events that this process is sending now. */
  readonly inFlight: number;
  /** Whether this process delivers the events. */
  readonly isDelivering: boolean;
  /** Whether delivery is halted because every event would fail. A halted delivery retries once a minute. */
  readonly isHalted: boolean;
  /** Why deliveries fail, e.g. because the server rejects the token. Undefined while they succeed. */
  readonly heldUpBy: Error | undefined;
}

/** Stores events until they are delivered. `fileSpool` of `@affkit/node/spool` stores them in files. */
export interface Spool {
  /** Starts to deliver events, including those that earlier processes left. The client calls this once. */
  start(client: SpoolClient): void;
  /**
   * Stores an event. Resolves with its name once it is durable. Also stores events after `close`, because the
   * application may still record events while it shuts down.
   */
  put(event: SpooledEvent): Promise<string>;
  /**
   * Waits until the server has accepted or rejected all events stored so far. Rejects if delivery has
   * stopped, or if the spool is closed.
   */
  flush(): Promise<void>;
  /**
   * Waits for the requests in flight and stops. Undelivered events remain stored for the next process. Repeated calls
   * wait too.
   */
  close(): Promise<void>;
  /** The current state. */
  stats(): SpoolStats;
}
