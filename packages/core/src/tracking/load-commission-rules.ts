import type { Transaction } from '../storage/database/engine/engine.ts';
import {
  type FirstCommission,
  findFirstCommission,
  listPolicyCandidates,
} from '../storage/money/commissions.ts';
import type { ProgramAccount } from '../storage/programs/programs.ts';
import type { CommissionBasis, CommissionRules } from './decide-commission.ts';

/** A sale whose commission has not been decided yet. */
interface UndecidedSale {
  readonly program: ProgramAccount;
  readonly basis: CommissionBasis;
}

/**
 * Loads the policies for all sales in one statement. For each sale of a subscription, it also loads the
 * subscription's first commission.
 * @returns a function that returns the rules of a sale; the sale must be one of the objects in `sales`, not a copy
 */
export async function loadCommissionRules(
  tx: Transaction,
  sales: readonly UndecidedSale[],
): Promise<(sale: UndecidedSale) => CommissionRules> {
  const policiesOf = await listPolicyCandidates(
    tx.db,
    sales.map(({ program }) => program.id),
  );
  const firstOf = new Map<UndecidedSale, FirstCommission | null>();
  for (const sale of sales) {
    const { customerId, subscriptionId, saleAt: upTo } = sale.basis;
    if (subscriptionId === null) continue;
    firstOf.set(
      sale,
      await findFirstCommission(tx.db, sale.program, customerId, subscriptionId, { asOf: null, upTo }),
    );
  }
  return (sale) => ({ policies: policiesOf(sale.program.id), first: firstOf.get(sale) ?? null });
}
