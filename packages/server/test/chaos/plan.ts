import type { LeadFields, RefundInput, SaleFields } from '@affkit/node';

interface LeadCall {
  readonly operation: 'lead';
  readonly input: LeadFields & { readonly click_id: string };
}

interface SaleCall {
  readonly operation: 'sale';
  readonly input: SaleFields & { readonly customer_key: string };
}

interface RefundCall {
  readonly operation: 'refund';
  readonly input: RefundInput;
}

/** A call to the SDK. */
export type Call = { readonly id: string } & (LeadCall | SaleCall | RefundCall);

/** Sends a call through the SDK or through an outbox. */
export function makeCall(
  target: {
    lead(input: LeadCall['input']): Promise<unknown>;
    sale(input: SaleCall['input']): Promise<unknown>;
    refund(input: RefundInput): Promise<unknown>;
  },
  call: Call,
): Promise<unknown> {
  if (call.operation === 'lead') return target.lead(call.input);
  return call.operation === 'sale' ? target.sale(call.input) : target.refund(call.input);
}

/** A sale, and the final amounts of its commission. */
interface ExpectedSale {
  readonly transactionId: string;
  readonly amountCents: number;
  readonly commissionCents: number;
  readonly deductedCents: number;
}

export interface Plan {
  /** The calls of each customer in order: a lead, then sales, and refunds of a third of the sales. */
  readonly customers: readonly (readonly Call[])[];
  readonly sales: readonly ExpectedSale[];
}

const MAX_AMOUNT_CENTS = 100_000;

/**
 * Plans `count` events.
 * @param clickIds one click id for each customer
 * @param random returns a random integer below its argument
 */
export function planEvents(
  count: number,
  clickIds: readonly string[],
  random: (below: number) => number,
): Plan {
  const sales: ExpectedSale[] = [];
  const customers = clickIds.map((click_id, index): Call[] => {
    const input = { click_id, customer_key: `user-${index}` };
    return [{ id: `lead ${click_id}`, operation: 'lead', input }];
  });
  for (let planned = customers.length; planned < count; planned += 1) {
    const index = sales.length % customers.length;
    const calls = customers[index] ?? [];
    const transaction_id = `order-${sales.length}`;
    const amountCents = 1 + random(MAX_AMOUNT_CENTS);
    // The program pays 20%, rounded half up.
    const commissionCents = Math.floor((2 * amountCents + 5) / 10);
    const input = { transaction_id, amount_cents: amountCents, customer_key: `user-${index}` };
    calls.push({ id: `sale ${transaction_id}`, operation: 'sale', input });
    let refundedCents = 0;
    if (planned + 1 < count && random(3) === 0) {
      const isFull = random(2) === 0;
      refundedCents = isFull ? amountCents : 1 + random(amountCents);
      const partial = isFull ? {} : { refund_amount_cents: refundedCents };
      const refund = { transaction_id, refund_id: 'r1', ...partial };
      calls.push({ id: `refund ${transaction_id}`, operation: 'refund', input: refund });
      planned += 1;
    }
    const deductedCents = Math.floor((2 * commissionCents * refundedCents + amountCents) / (2 * amountCents));
    sales.push({ transactionId: transaction_id, amountCents, commissionCents, deductedCents });
  }
  return { customers, sales };
}
