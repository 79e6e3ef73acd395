import type { LeadDelivered, RefundDelivered, SaleDelivered } from '../results.ts';
import type { Operation } from '../retry.ts';

/** What came of a kept event. */
export interface SpoolHooks {
  readonly onDelivered?:
    | ((info: {
        readonly id: string;
        readonly operation: Operation;
        readonly result: SaleDelivered | RefundDelivered | LeadDelivered;
      }) => void)
    | undefined;
  /** The server refused it; it lies in `dead/`, and is not sent again unless it is moved back to `ready/`. */
  readonly onDead?:
    | ((info: {
        readonly id: string;
        readonly operation: Operation | undefined;
        readonly error: unknown;
      }) => void)
    | undefined;
}

/** Unknown names are refused. */
export interface FileSpoolOptions extends SpoolHooks {
  /** A folder on a local disk, made where there is none; one for each program. Several processes may share it. */
  readonly dir: string;
  /** From this many kept events on, new ones are refused with an `AffkitSpoolFullError`. @default 100000 */
  readonly maxEvents?: number | undefined;
  /** Requests under way at the same time. @default 8 */
  readonly concurrency?: number | undefined;
  /** How often the folder is looked at for what other processes put there. @default 1000 */
  readonly pollMs?: number | undefined;
  /** After how much silence another process takes over from the one that delivers. @default 10000 */
  readonly leaseMs?: number | undefined;
  /** How long `flush` waits. @default 30000 */
  readonly flushMs?: number | undefined;
}
