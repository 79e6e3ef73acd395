import type { LeadDelivered, RefundDelivered, SaleDelivered } from '../results.ts';
import type { Operation } from '../retry.ts';

/** Callbacks that report the outcome of a spooled event. An error thrown by a callback is logged. */
export interface FileSpoolHooks {
  /** Called when the server has stored the event, or has found no partner for its customer. */
  readonly onDelivered?:
    | ((info: {
        readonly id: string;
        readonly operation: Operation;
        readonly result: SaleDelivered | RefundDelivered | LeadDelivered;
      }) => void)
    | undefined;
  /**
   * Called when the event is now in `dead/`, because the server rejected it, or because its file cannot be sent. A sale
   * whose `transaction_id` another program uses counts as rejected. Move the file back to `ready/` to send the event
   * again.
   */
  readonly onDead?:
    | ((info: {
        readonly id: string;
        readonly operation: Operation | undefined;
        readonly error: unknown;
      }) => void)
    | undefined;
  /**
   * Called once when delivery halts. Delivery halts if every event would probably fail, e.g. because the server rejects
   * the token, or because something other than Affkit answers. The spool then retries every minute, and no event is
   * lost. As long as only one event has failed, that event may be the cause, so other events are still sent
   * immediately.
   */
  readonly onHalted?: ((info: { readonly error: Error }) => void) | undefined;
}

/** Options of `fileSpool`. Unknown option names throw an `AffkitConfigurationError`. */
export interface FileSpoolOptions extends FileSpoolHooks {
  /**
   * The folder of the spool, on a local disk. It is created if it does not exist. Several processes may share
   * it. Use a separate folder for each program.
   */
  readonly dir: string;
  /**
   * Maximum number of undelivered events. Beyond it, calls throw an `AffkitSpoolFullError`.
   *
   * @default 100000
   */
  readonly maxEvents?: number | undefined;
  /**
   * Maximum number of concurrent requests.
   *
   * @default 8
   */
  readonly concurrency?: number | undefined;
  /**
   * How often the folder is scanned for events of other processes, in milliseconds.
   *
   * @default 1000
   */
  readonly pollMs?: number | undefined;
  /**
   * How long the delivering process must be silent before another process takes over, in milliseconds.
   *
   * @default 10000
   */
  readonly leaseMs?: number | undefined;
  /**
   * Time limit of `affkit.flush()` in milliseconds.
   *
   * @default 30000
   */
  readonly flushMs?: number | undefined;
}
