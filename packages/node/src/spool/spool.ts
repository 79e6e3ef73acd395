import type { Logger } from '../log.ts';
import type { LeadDelivered, RefundDelivered, SaleDelivered } from '../results.ts';
import type { Operation } from '../retry.ts';
import type { Runtime } from '../runtime.ts';

/** An event that passed the checks, as it goes over the wire; its time is in it. */
export interface SpooledEvent {
  readonly operation: Operation;
  readonly body: string;
}

/** What a spool is given by its client. */
export interface SpoolClient {
  readonly runtime: Runtime;
  readonly logger: Logger;
  /** Sends an event as a call does, retries included. Throws an `AffkitError`. */
  deliver(event: SpooledEvent): Promise<SaleDelivered | RefundDelivered | LeadDelivered>;
}

/** How things stand in a spool. */
export interface SpoolStats {
  /** Events that are kept and not yet delivered. */
  readonly queued: number;
  /**
   * Events that the server refused and that wait for somebody to look at them. Known once an event was kept or a
   * flush is over; what other processes add or take away shows a little later.
   */
  readonly dead: number;
  /** Events that are being sent by this process now. */
  readonly inFlight: number;
  /** Is it this process that delivers? */
  readonly isDelivering: boolean;
  /** Why nothing is delivered, e.g. that the token is refused; undefined while things go well. */
  readonly heldUpBy: Error | undefined;
}

/** Keeps events until they are delivered. `@affkit/node/spool` has one that keeps them in files. */
export interface Spool {
  /** Begins to deliver, also what an earlier process left. Called once, by the client that it was given to. */
  start(client: SpoolClient): void;
  /** Resolves when the event will survive a crash; gives the name that it is kept under. */
  put(event: SpooledEvent): Promise<string>;
  /** Resolves when all that is kept now was delivered or refused; rejects with what holds it up. */
  flush(): Promise<void>;
  /** Lets what is being sent end. What is left stays for the next process. */
  close(): Promise<void>;
  stats(): SpoolStats;
}
