import type { trackTestSaleRequest } from '@affkit/protocol';
import type { z } from 'zod';
import { checkAmounts } from '../domain/commission-base.ts';
import { decideOccurredAt } from '../domain/occurred-at.ts';
import { isRejection, Rejection } from '../rejection.ts';
import type { Runtime } from '../runtime.ts';
import type { Transaction } from '../storage/database/engine/engine.ts';
import type { ProgramAccount } from '../storage/programs/programs.ts';
import { findSaleByTransaction, insertTestSale } from '../storage/tracking/sales.ts';
import { isSamePayment, type ReportedSale, saleAmountsOf, saleColumnsOf, saleFingerprintOf } from './sale.ts';
import type { RecordedTestEvent } from './track-click.ts';

export type ReportedTestSale = z.output<typeof trackTestSaleRequest>;

/**
 * Records a sale in test mode. It is stored as a single row, changes nothing else, and cannot conflict with a
 * real sale.
 */
export async function trackTestSale(
  runtime: Runtime,
  program: ProgramAccount,
  sale: ReportedTestSale,
): Promise<RecordedTestEvent | Rejection> {
  const now = runtime.now();
  const saleAt = decideOccurredAt(sale, now);
  if (isRejection(saleAt)) return saleAt;
  const { amount_cents = Number.POSITIVE_INFINITY } = sale;
  const fault = checkAmounts(saleAmountsOf({ ...sale, amount_cents }));
  if (fault) return fault;
  return await runtime.engine.write(program.workspaceId, async (tx) => {
    for (let time = now; ; time++) {
      const transactionId = sale.transaction_id ?? `test_txn_${time}`;
      const input = { ...sale, transaction_id: transactionId, amount_cents: sale.amount_cents ?? 0 };
      const eventId = await saveTestSale(tx, program, input, { saleAt, now });
      if (eventId !== null) return { kind: 'test' as const, eventId, programId: program.id };
      if (sale.transaction_id === undefined) continue;
      const recorded = await findSaleByTransaction(tx.db, program.id, transactionId, 1);
      return new Rejection('duplicate_transaction', undefined, {
        details: {
          sale_id: recorded?.id ?? null,
          commission_id: null,
          identical: recorded !== null && isSamePayment(recorded, input),
        },
      });
    }
  });
}

/**
 * Stores a sale in test mode.
 * @returns its id; null when the program already has a test sale with this transaction id
 */
export async function saveTestSale(
  tx: Transaction,
  program: ProgramAccount,
  sale: ReportedSale,
  { saleAt, now }: { readonly saleAt: number; readonly now: number },
): Promise<number | null> {
  return await insertTestSale(tx, {
    ...saleColumnsOf(program, sale, null),
    fingerprint: saleFingerprintOf(sale),
    is_test: 1,
    sale_at: saleAt,
    created_at: now,
  });
}
