import { hash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { trackSaleRequest } from '@affkit/protocol';
import type { z } from 'zod';
import type { SaleAmounts } from '../domain/commission-base.ts';
import { DEFAULT_CURRENCY } from '../domain/money.ts';
import { areProcessorLines, readSaleLines } from '../domain/sale-lines.ts';
import type { Rejection } from '../rejection.ts';
import type { NoCommissionReason } from '../storage/database/schema.ts';
import type { ProgramAccount } from '../storage/programs/programs.ts';
import type { CustomerRow } from '../storage/tracking/customers.ts';
import type { SaleRow } from '../storage/tracking/sales.ts';

export type ReportedSale = z.output<typeof trackSaleRequest>;

export interface RecordedSale {
  readonly kind: 'recorded';
  readonly saleId: number;
  /** Null when the sale earns no commission. `reason` is set in this case. */
  readonly commissionId: number | null;
  readonly reason: NoCommissionReason | null;
}

/** The sale was stored, but storing its commission failed. A background job repairs it. */
export interface CommissionOwed {
  readonly kind: 'commission_owed';
  readonly saleId: number;
}

export type SaleOutcome = RecordedSale | CommissionOwed | Rejection;

export function saleAmountsOf(
  sale: Pick<ReportedSale, 'amount_cents' | 'tax_cents' | 'shipping_cents'>,
): SaleAmounts {
  return {
    amountCents: sale.amount_cents,
    taxCents: sale.tax_cents ?? 0,
    shippingCents: sale.shipping_cents ?? 0,
  };
}

/** Returns the columns that are copied unchanged from the request and from the customer. */
export function saleColumnsOf(program: ProgramAccount, sale: ReportedSale, customer: CustomerRow | null) {
  return {
    program_id: program.id,
    customer_id: customer?.id ?? null,
    processor_event_id: sale.transaction_id,
    click_id: customer?.click_id ?? sale.click_id ?? null,
    customer_key: sale.customer_key ?? null,
    amount_cents: sale.amount_cents,
    currency: sale.currency ?? DEFAULT_CURRENCY,
    sale_type: sale.sale_type ?? ('payment' as const),
    payment_status: 'paid',
    is_recurring: sale.is_recurring ? (1 as const) : (0 as const),
    subscription_id: sale.subscription_id ?? null,
    subscription_interval: sale.subscription_interval ?? null,
    product_id: sale.product_id ?? null,
    tax_cents: sale.tax_cents ?? null,
    shipping_cents: sale.shipping_cents ?? null,
    line_items: sale.line_items === undefined ? null : JSON.stringify(sale.line_items),
    additional_data: sale.additional_data === undefined ? null : JSON.stringify(sale.additional_data),
    is_test: 0 as const,
  };
}

/**
 * Whether a request describes the same payment as the request that recorded a sale. `occurred_at` is not
 * compared, because it may differ in a retry. Of `line_items`, only the fields that determine the commission
 * are compared. If the sale has a `product_id`, the lines do not determine the commission, so they are not
 * compared.
 */
export function isSamePayment(
  recorded: Pick<SaleRow, 'fingerprint' | 'line_items'>,
  sale: ReportedSale,
): boolean {
  if (recorded.fingerprint !== saleFingerprintOf(sale)) return false;
  if (sale.product_id !== undefined) return true;
  const recordedItems: unknown = JSON.parse(recorded.line_items ?? 'null');
  const lines = readSaleLines(sale.line_items);
  // A webhook may have added its lines to a sale that a request recorded without lines. The stored sale does not show
  // whether a webhook or the first request contained them.
  if (lines.length === 0 && areProcessorLines(recordedItems)) return true;
  return isDeepStrictEqual(readSaleLines(recordedItems), lines);
}

/** Returns a fingerprint of the fields that `isSamePayment` compares, except `line_items`. */
export function saleFingerprintOf(sale: ReportedSale): string {
  const fields = [
    sale.transaction_id,
    sale.amount_cents,
    sale.currency ?? DEFAULT_CURRENCY,
    sale.customer_key ?? null,
    sale.click_id ?? null,
    sale.sale_type ?? 'payment',
    sale.is_recurring ?? false,
    sale.subscription_id ?? null,
    sale.subscription_interval ?? null,
    sale.product_id ?? null,
    // Include these fields only if they are set. Otherwise, the fingerprints of older sales would change,
    // because these sales lack the fields.
    ...(sale.tax_cents === undefined ? [] : [`tax ${sale.tax_cents}`]),
    ...(sale.shipping_cents === undefined ? [] : [`shipping ${sale.shipping_cents}`]),
  ];
  return hash('sha256', JSON.stringify(fields));
}
