import * as files from 'node:fs/promises';
import { FileSpool } from './file-spool.ts';
import type { FileSpoolOptions } from './options.ts';
import type { Spool } from './spool.ts';

export type { FileSpoolHooks as SpoolHooks, FileSpoolOptions } from './options.ts';

/**
 * Creates a spool that stores events as files until the server has them. Requires Node's file system and a
 * local disk.
 *
 * - **Durability.** A call resolves with `status: 'queued'` once its file is written, synced (fsync) and
 *   renamed. The event then survives a crash of the process or the machine.
 * - **Order.** Events that share a transaction id, customer, click or subscription are sent one at a time:
 *   leads first, then sales, then refunds. Events of the same kind are sent in the order of the calls.
 *   The first eight `processor_refs` of a sale count as transaction ids.
 *   Events that share none of these ids do not wait for each other.
 * - **Several processes** may share the folder. A single process delivers; if it dies, another takes
 *   over. An event may then be sent twice, and the server records it once.
 * - **Rejected events** move to the folder `dead/`, together with the reason. To send such an event again,
 *   move it back to `ready/`.
 *
 * @throws AffkitConfigurationError if an option is invalid or unknown
 *
 * @example
 * ```ts
 * const affkit = new Affkit({
 *   spool: fileSpool({
 *     dir: '/var/lib/shop/affkit',
 *     onDead: ({ id, error }) => alerts.send(`Affkit rejected ${id}`, error),
 *   }),
 * });
 * await affkit.sale({ transaction_id: payment.id, amount_cents: 1999, customer_key: user.id });
 * // { status: 'queued', spoolId: '…' }
 * ```
 */
export function fileSpool(options: FileSpoolOptions): Spool {
  return new FileSpool(options, files);
}
