import type { Transaction } from '../storage/database/engine/engine.ts';
import { type CommissionRow, findCommissionOfSale } from '../storage/money/commissions.ts';
import { holdProgram, type ProgramAccount } from '../storage/programs/programs.ts';
import { findOwedCommission, removeOutboxRow } from '../storage/tracking/outbox.ts';
import { type SaleRow, setNoCommissionReason } from '../storage/tracking/sales.ts';
import { type CommissionPlan, type EarningSale, findEarnings, saveCommissions } from './make-commission.ts';

interface OwedCommission {
  readonly sale: EarningSale;
  /** Null where no policy was found at that time. */
  readonly plan: CommissionPlan | null;
}

/**
 * Makes the commission that a sale was recorded without, by the terms worked out then. The caller has found
 * that there is none yet.
 * @returns null when the sale is owed none
 */
export async function makeOwedCommission(
  tx: Transaction,
  program: ProgramAccount,
  sale: Pick<SaleRow, 'id' | 'window_days'>,
  now: number,
): Promise<CommissionRow | null> {
  const owed = await findOwedCommission(tx, program.id, sale.id);
  // Another process may have made it while this one waited for the row.
  if (!owed) return await findCommissionOfSale(tx, program.id, sale.id);
  const current = (await holdProgram(tx, program.id)) ?? program;
  // The trace tells the window that the sale has kept.
  const account = { ...current, cookieWindowDays: sale.window_days ?? current.cookieWindowDays };
  const { plan, sale: earningSale } = JSON.parse(owed.payload) as OwedCommission;
  const [found] = plan ? [] : await findEarnings(tx, [{ program: account, earningSale }]);
  const earning = plan ? { kind: 'earns' as const, plan } : found?.earning;
  if (!earning || earning.kind === 'undecided')
    throw new Error(`Program ${program.id} has no commission policy for the sale`);
  if (earning.kind === 'earns') {
    const due = { program: account, saleId: sale.id, earningSale, plan: earning.plan };
    await saveCommissions(tx, [due], now);
  } else await setNoCommissionReason(tx, program.id, sale.id, earning.reason);
  await removeOutboxRow(tx, owed.id);
  return await findCommissionOfSale(tx, program.id, sale.id);
}
