import type { Insertable, Kysely, Selectable } from 'kysely';
import { computeRefundedCents } from '../../domain/refund.ts';
import type { Transaction } from '../database/engine/engine.ts';
import type { Schema } from '../database/schema.ts';
import type { SaleKey } from '../tracking/sales.ts';

export type ProcessorRefund = Selectable<Schema['processor_refunds']>;

/**
 * Stores or updates the refunds in an event. Because events may arrive in any order, a failed refund always
 * remains failed.
 * @param hasDetails whether the event contains the details of the refunds; if it contains only their ids,
 * stored details are kept
 */
export async function saveProcessorRefunds(
  tx: Transaction,
  refunds: readonly Insertable<Schema['processor_refunds']>[],
  hasDetails: boolean,
): Promise<void> {
  for (const refund of refunds) {
    const { charge, currency, amount_cents, is_failed } = refund;
    await tx.db
      .insertInto('processor_refunds')
      .values(refund)
      .onConflict((conflict) => {
        const known = conflict.columns(['workspace_id', 'refund']);
        if (!hasDetails) return known.doNothing();
        const failed = is_failed === 1 ? { is_failed } : {};
        return known.doUpdateSet({ charge, currency, amount_cents, ...failed });
      })
      .execute();
  }
}

export async function findProcessorRefund(
  db: Kysely<Schema>,
  workspaceId: number,
  refund: string,
): Promise<ProcessorRefund | null> {
  const row = await db
    .selectFrom('processor_refunds')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('refund', '=', refund)
    .executeTakeFirst();
  return row ?? null;
}

/** Lists the refunds of a charge. Failed refunds are left out. */
export async function listRefundsOfCharge(
  db: Kysely<Schema>,
  { workspace_id, charge }: Pick<ProcessorRefund, 'workspace_id' | 'charge'>,
): Promise<ProcessorRefund[]> {
  return await db
    .selectFrom('processor_refunds')
    .selectAll()
    .where('workspace_id', '=', workspace_id)
    .where('charge', '=', charge)
    .where('is_failed', '=', 0)
    .orderBy('refund')
    .execute();
}

/** Computes how much of a charge is refunded in total. Failed refunds are left out. */
export async function loadRefundedCents(
  db: Kysely<Schema>,
  charge: Pick<Selectable<Schema['processor_charges']>, 'workspace_id' | 'charge' | 'refunded_cents'>,
): Promise<number> {
  const rows = await db
    .selectFrom('processor_refunds')
    .select(['refund', 'amount_cents', 'is_failed'])
    .where('workspace_id', '=', charge.workspace_id)
    .where('charge', '=', charge.charge)
    .execute();
  const processed = rows.map((row) => ({
    refundId: row.refund,
    amountCents: row.amount_cents,
    isFailed: row.is_failed === 1,
  }));
  const chargesCents = charge.refunded_cents;
  return computeRefundedCents({ unnamedCents: 0, named: [], chargesCents, processed });
}

/** Lists the refunds of all charges of a sale. */
export async function listProcessorRefunds(
  db: Kysely<Schema>,
  { programId, saleId }: SaleKey,
): Promise<ProcessorRefund[]> {
  return await db
    .selectFrom('processor_charges')
    .innerJoin('processor_refunds', (join) =>
      join
        .onRef('processor_refunds.workspace_id', '=', 'processor_charges.workspace_id')
        .onRef('processor_refunds.charge', '=', 'processor_charges.charge'),
    )
    .selectAll('processor_refunds')
    .where('processor_charges.program_id', '=', programId)
    .where('processor_charges.sale_id', '=', saleId)
    .orderBy('processor_refunds.refund')
    .execute();
}
