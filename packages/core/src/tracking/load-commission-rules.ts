import { isInWindow } from '../domain/commission.ts';
import type { Transaction } from '../storage/database/engine/engine.ts';
import {
  type FirstCommission,
  findFirstCommission,
  findImportedCommission,
  listPolicyCandidates,
} from '../storage/money/commissions.ts';
import type { ProgramAccount } from '../storage/programs/programs.ts';
import { hasFirstPayment } from '../storage/tracking/sales.ts';
import type { CommissionBasis, CommissionRules } from './decide-commission.ts';

/** A sale whose commission has not been decided yet. */
interface UndecidedSale {
  readonly program: ProgramAccount;
  readonly basis: CommissionBasis;
}

/**
 * Loads the policies for all sales in one statement. For each sale of a subscription, it also loads the
 * subscription's first commission, or the imported commission that the sale renews.
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
    const first = await findFirstCommission(tx.db, sale.program, customerId, subscriptionId, {
      asOf: null,
      upTo,
    });
    firstOf.set(
      sale,
      first ??
        (mayRenewImport(sale) ? await findRenewedImport(tx, sale.program, sale.basis, subscriptionId) : null),
    );
  }
  return (sale) => ({ policies: policiesOf(sale.program.id), first: firstOf.get(sale) ?? null });
}

function mayRenewImport({ program, basis }: UndecidedSale): boolean {
  const { isRecurring = false, saleAt, lastClickAt } = basis;
  return isRecurring && !isInWindow(saleAt, lastClickAt, program.cookieWindowDays);
}

/**
 * Finds the imported commission that a sale renews. An import does not know the subscriptions of its customers.
 * Therefore, any renewal that is outside of the attribution window, and whose subscription has no commission, renews
 * the first commission that was imported for its customer and partner. Otherwise, no subscription from before the
 * import would earn commissions. If the first payment of the subscription was recorded, the subscription began after
 * the import, so it renews nothing.
 * @param renewal a sale that was reported as a renewal, outside of the attribution window
 */
export async function findRenewedImport(
  tx: Transaction,
  program: Pick<ProgramAccount, 'id' | 'workspaceId'>,
  { customerId, partnerId, saleAt: upTo }: Pick<CommissionBasis, 'customerId' | 'partnerId' | 'saleAt'>,
  subscriptionId: string,
): Promise<FirstCommission | null> {
  const imported = await findImportedCommission(tx.db, program.id, { customerId, partnerId, upTo });
  if (!imported || (await hasFirstPayment(tx.db, program, customerId, subscriptionId))) return null;
  return imported;
}
