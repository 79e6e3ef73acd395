import type { PayoutProviderName } from '@affkit/protocol';
import { type Kysely, type Selectable, sql } from 'kysely';
import type { Transaction } from '../database/engine/engine.ts';
import { idList } from '../database/id-list.ts';
import { insertRows } from '../database/rows.ts';
import type { Schema } from '../database/schema.ts';

export type PayoutTransferRow = Selectable<Schema['payout_transfers']>;

type Item = Pick<PayoutTransferRow, 'program_id' | 'batch_id' | 'payout_id'>;

/**
 * A transfer that this process has leased. `state`, `run_at`, and `sent_at` are the values from before the
 * lease.
 */
export interface LeasedTransfer extends PayoutTransferRow {
  readonly leasedUntil: number;
}

/**
 * Queues a transfer for each payout of a new batch. The transfers are due when the transaction is committed.
 */
export async function insertPayoutTransfers(
  tx: Transaction,
  transfers: readonly (Item & Pick<PayoutTransferRow, 'workspace_id' | 'provider' | 'transfer_key'>)[],
  at: number,
): Promise<void> {
  await insertRows(
    tx,
    'payout_transfers',
    transfers.map((transfer) => ({ ...transfer, state: 'queued', run_at: at })),
  );
}

/**
 * Lists due transfers of the providers, in the order in which they became due.
 * @param workspaces the workspaces whose queued transfers may be sent. A transfer that may have been sent before is
 * listed for every workspace, because its result must still be determined.
 */
export async function findDueTransfers(
  db: Kysely<Schema>,
  providers: readonly PayoutProviderName[],
  workspaces: readonly number[] | 'all',
  { now, limit }: { readonly now: number; readonly limit: number },
): Promise<PayoutTransferRow[]> {
  return await db
    .selectFrom('payout_transfers')
    .selectAll()
    .where('run_at', '<=', now)
    .where('provider', 'in', providers)
    .$if(workspaces !== 'all', (query) =>
      query.where(({ or, eb }) =>
        or([
          eb('state', '<>', 'queued'),
          eb('workspace_id', 'in', idList(workspaces === 'all' ? [] : workspaces)),
        ]),
      ),
    )
    .orderBy('run_at')
    .orderBy('transfer_key')
    .limit(limit)
    .execute();
}

/**
 * Lists transfers of these providers that were sent before `sentBefore`, have no result, and are not leased.
 */
export async function findOverdueTransfers(
  db: Kysely<Schema>,
  providers: readonly PayoutProviderName[],
  { now, sentBefore, limit }: { readonly now: number; readonly sentBefore: number; readonly limit: number },
): Promise<PayoutTransferRow[]> {
  if (providers.length === 0) return [];
  return await db
    .selectFrom('payout_transfers')
    .selectAll()
    .where('run_at', '<=', now)
    .where('sent_at', '<', sentBefore)
    .where('state', 'in', ['sending', 'accepted'])
    .where('provider', 'in', providers)
    .limit(limit)
    .execute();
}

/**
 * Leases a due transfer. If it must be sent, its state becomes `sending` before the provider is called.
 * @param row the transfer as `findDueTransfers` returned it
 * @returns null when another process has leased the transfer, or it is no longer due
 */
export async function claimTransfer(
  tx: Transaction,
  row: PayoutTransferRow,
  { now, leasedUntil }: { readonly now: number; readonly leasedUntil: number },
): Promise<LeasedTransfer | null> {
  const mustSend = row.state === 'queued' || row.state === 'sending';
  const claimed = await tx.db
    .updateTable('payout_transfers')
    .set((eb) => ({
      run_at: leasedUntil,
      attempts: eb('attempts', '+', 1),
      ...(mustSend && { state: 'sending' as const, sent_at: row.sent_at ?? now }),
    }))
    .where('program_id', '=', row.program_id)
    .where('transfer_key', '=', row.transfer_key)
    .where('attempts', '=', row.attempts)
    .where('state', '=', row.state)
    .where('run_at', '<=', now)
    .returning('transfer_key')
    .executeTakeFirst();
  return claimed ? { ...row, attempts: row.attempts + 1, leasedUntil } : null;
}

/**
 * Stores changes of a leased transfer, unless another process or a webhook has changed the transfer since the lease.
 * @returns whether the changes were stored
 */
export async function updateLeasedTransfer(
  tx: Transaction,
  { program_id, transfer_key, attempts, leasedUntil }: LeasedTransfer,
  change: Partial<
    Pick<PayoutTransferRow, 'state' | 'transfer_key' | 'transfer_id' | 'sent_at' | 'run_at' | 'last_error'>
  >,
): Promise<boolean> {
  const updated = await tx.db
    .updateTable('payout_transfers')
    .set(change)
    .where('program_id', '=', program_id)
    .where('transfer_key', '=', transfer_key)
    .where('attempts', '=', attempts)
    .where('run_at', '=', leasedUntil)
    .returning('transfer_key')
    .executeTakeFirst();
  return updated !== undefined;
}

/**
 * Makes a transfer due after a webhook with its id and key, or after a reply that arrived when the lease had expired.
 * A job then reads the state of the transfer from the provider. For a closed transfer, the job compares this state with
 * the stored result. Nothing is changed if the transfer has not been sent yet. The same applies if it already has
 * another id, because the webhook or reply is then about another payment. If the state was `unclear`, the wait for the
 * result starts again.
 * @param options.isLateReply whether to change nothing if the id is already stored and the transfer will be read anyway
 * (otherwise, two processes with late replies could end each other's leases again and again)
 * @returns whether the transfer was changed
 */
export async function makeTransferDue(
  tx: Transaction,
  { program_id, transfer_key }: Pick<PayoutTransferRow, 'program_id' | 'transfer_key'>,
  transferId: string,
  runAt: number,
  { isLateReply = false }: { readonly isLateReply?: boolean } = {},
): Promise<boolean> {
  const updated = await tx.db
    .updateTable('payout_transfers')
    .set({
      state: sql<'accepted' | 'done'>`CASE WHEN state = 'done' THEN state ELSE 'accepted' END`,
      sent_at: sql<number | null>`CASE WHEN state = 'unclear' THEN ${runAt} ELSE sent_at END`,
      transfer_id: transferId,
      run_at: runAt,
    })
    .where('program_id', '=', program_id)
    .where('transfer_key', '=', transfer_key)
    .where('state', '<>', 'queued')
    .where(({ or, eb }) => or([eb('transfer_id', 'is', null), eb('transfer_id', '=', transferId)]))
    .$if(isLateReply, (query) =>
      query.where(({ or, eb }) => or([eb('transfer_id', 'is', null), eb('run_at', 'is', null)])),
    )
    .returning('transfer_key')
    .executeTakeFirst();
  return updated !== undefined;
}

/**
 * Prevents the queued transfers of a batch from being sent. Does not stop a transfer that a process has leased,
 * because such a transfer is no longer queued.
 * @param payoutId stops only the transfer of this payout. If it is missing, all queued transfers are stopped
 * @returns how many transfers are stopped
 */
export async function stopQueuedTransfers(
  tx: Transaction,
  programId: number,
  batchId: number,
  payoutId?: number,
): Promise<number> {
  const stopped = await tx.db
    .updateTable('payout_transfers')
    .set({ run_at: null })
    .where('program_id', '=', programId)
    .where('batch_id', '=', batchId)
    .where('state', '=', 'queued')
    .$if(payoutId !== undefined, (query) => query.where('payout_id', '=', payoutId ?? 0))
    .returning('payout_id')
    .execute();
  return stopped.length;
}

/** Finds the transfers that have `id` at the provider, or the idempotency key `key`. */
export async function findTransfersOf(
  db: Kysely<Schema>,
  provider: PayoutProviderName,
  { id, key }: { readonly id: string; readonly key: string | null },
): Promise<PayoutTransferRow[]> {
  return await db
    .selectFrom('payout_transfers')
    .selectAll()
    .where('provider', '=', provider)
    .where(({ or, eb }) =>
      or([eb('transfer_id', '=', id), ...(key === null ? [] : [eb('transfer_key', '=', key)])]),
    )
    .execute();
}

export async function findTransfer(
  db: Kysely<Schema>,
  programId: number,
  batchId: number,
  payoutId: number,
): Promise<PayoutTransferRow | null> {
  const row = await db
    .selectFrom('payout_transfers')
    .selectAll()
    .where('program_id', '=', programId)
    .where('batch_id', '=', batchId)
    .where('payout_id', '=', payoutId)
    .executeTakeFirst();
  return row ?? null;
}

/**
 * Counts the transfers of a batch that have a problem: `unclear` have an unknown result, `contradicted` have a
 * result that differs from the stored one, and `delayed` have failed but are retried.
 */
export async function countTransferProblems(
  db: Kysely<Schema>,
  programId: number,
  batchId: number,
): Promise<Readonly<Record<'unclear' | 'contradicted' | 'delayed', number>>> {
  const counts = await db
    .selectFrom('payout_transfers')
    .select([
      sql<number>`COUNT(CASE WHEN state = 'unclear' THEN 1 END)`.as('unclear'),
      // If `run_at` is set, the state will be read again. `last_error` may then be the error of a failed read, which
      // is not a contradiction.
      sql<number>`COUNT(CASE WHEN state = 'done' AND last_error IS NOT NULL AND run_at IS NULL THEN 1 END)`.as(
        'contradicted',
      ),
      sql<number>`COUNT(CASE WHEN state IN ('queued', 'sending') AND last_error IS NOT NULL AND run_at IS NOT NULL
        THEN 1 END)`.as('delayed'),
    ])
    .where('program_id', '=', programId)
    .where('batch_id', '=', batchId)
    .executeTakeFirstOrThrow();
  return {
    unclear: Number(counts.unclear),
    contradicted: Number(counts.contradicted),
    delayed: Number(counts.delayed),
  };
}

export async function listBatchTransfers(
  db: Kysely<Schema>,
  programId: number,
  batchId: number,
): Promise<PayoutTransferRow[]> {
  return await db
    .selectFrom('payout_transfers')
    .selectAll()
    .where('program_id', '=', programId)
    .where('batch_id', '=', batchId)
    .execute();
}
