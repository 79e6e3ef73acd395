import { computeBase } from '../domain/commission-base.ts';
import { DEFAULT_CURRENCY } from '../domain/money.ts';
import { readSaleLines, weighLines } from '../domain/sale-lines.ts';
import type { ProgramAccount } from '../storage/programs/programs.ts';
import type { CommissionBasis } from './decide-commission.ts';
import { type ReportedSale, saleAmountsOf } from './sale.ts';

/** The fields of a sale that contain its amounts and products. */
export type SoldFields = Pick<
  ReportedSale,
  'amount_cents' | 'tax_cents' | 'shipping_cents' | 'currency' | 'product_id' | 'line_items'
>;

export function earningsOfSale(
  { commissionBase }: Pick<ProgramAccount, 'commissionBase'>,
  sale: SoldFields,
): Pick<CommissionBasis, 'amountCents' | 'baseCents' | 'currency' | 'productId' | 'products'> {
  // A `product_id` applies to the whole sale. Without it, the products come from the lines of the sale.
  const lines = sale.product_id === undefined ? readSaleLines(sale.line_items) : [];
  return {
    amountCents: sale.amount_cents,
    baseCents: computeBase(commissionBase, saleAmountsOf(sale)),
    currency: sale.currency ?? DEFAULT_CURRENCY,
    productId: sale.product_id ?? null,
    ...(lines.length > 0 && { products: weighLines(commissionBase, lines) }),
  };
}
