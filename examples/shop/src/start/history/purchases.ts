import type { HistoryPartner } from './partners.ts';
import { DAY_MS, HISTORY_DAYS, HOUR_MS, MINUTE_MS, type TrackingCall } from './plan.ts';
import { ASSORTMENT, type HistoryProduct, TEA_CLUB } from './products.ts';
import type { Random } from './random.ts';

const REASONS = ['Arrived damaged', 'Returned within 14 days', 'Ordered twice'] as const;

/** A visitor who has signed up. */
export interface Customer {
  readonly visit: number;
  readonly key: string;
  readonly signUpAt: number;
}

/** The first purchase, and for some customers a second purchase. A few buy after the attribution window. */
export function planPurchases(random: Random, partner: HistoryPartner, customer: Customer): TrackingCall[] {
  const { signUpAt, visit } = customer;
  const wait = random.chance(0.6)
    ? random.integer(3 * MINUTE_MS, 2 * HOUR_MS)
    : random.chance(0.9)
      ? random.integer(2 * HOUR_MS, 20 * DAY_MS)
      : random.integer(31 * DAY_MS, 38 * DAY_MS);
  const products = ASSORTMENT.filter(({ prices }) => prices[partner.currency] !== undefined);
  const order = (at: number, product: HistoryProduct, id: string) =>
    planOrder(random, partner, customer, { at, product, id });
  const product = random.pick(products as [HistoryProduct, ...HistoryProduct[]]);
  const first = order(signUpAt + wait, product, `demo-order-${1000 + visit}`);
  if (product === TEA_CLUB) return [...first, ...planRenewals(random, partner, customer, signUpAt + wait)];
  if (!random.chance(0.2)) return first;
  const again = random.pick(
    products.filter((one) => one !== TEA_CLUB) as [HistoryProduct, ...HistoryProduct[]],
  );
  const againAt = signUpAt + wait + random.integer(6 * DAY_MS, 26 * DAY_MS);
  return [...first, ...order(againAt, again, `demo-order-${1000 + visit}-2`)];
}

/** A sale, and sometimes its refund. */
function planOrder(
  random: Random,
  { currency }: HistoryPartner,
  { visit, key }: Customer,
  { at, product, id }: { at: number; product: HistoryProduct; id: string },
): TrackingCall[] {
  const amount = product.prices[currency] ?? 0;
  const isClub = product === TEA_CLUB;
  const sale: TrackingCall = {
    at,
    visit,
    route: 'sale',
    body: {
      transaction_id: id,
      customer_key: key,
      amount_cents: amount,
      currency,
      product_id: product.id,
      ...(isClub && { ...subscriptionOf(key), is_recurring: false }),
    },
  };
  if (!random.chance(0.07)) return [sale];
  const refundAt = at + random.integer(DAY_MS, 12 * DAY_MS);
  const isPartial = random.chance(0.5);
  const refund = (part: number, at: number): TrackingCall => ({
    at,
    visit,
    route: 'refund',
    body: {
      transaction_id: id,
      refund_id: `${id}-refund-${part}`,
      refund_reason: random.pick(REASONS),
      ...(isPartial && { refund_amount_cents: Math.round(amount / 4) }),
    },
  });
  return isPartial && random.chance(0.4)
    ? [sale, refund(1, refundAt), refund(2, refundAt + 2 * DAY_MS)]
    : [sale, refund(1, refundAt)];
}

function subscriptionOf(key: string) {
  return {
    sale_type: 'subscription',
    subscription_id: `${key}-tea-club`,
    subscription_interval: 'monthly',
  };
}

function planRenewals(
  random: Random,
  { currency }: HistoryPartner,
  { visit, key }: Customer,
  firstAt: number,
): TrackingCall[] {
  const renewals: TrackingCall[] = [];
  for (let month = 1; month * 30 <= HISTORY_DAYS && random.chance(0.88); month++) {
    renewals.push({
      at: firstAt + month * 30 * DAY_MS,
      visit,
      route: 'sale',
      body: {
        transaction_id: `demo-order-${1000 + visit}-renewal-${month}`,
        customer_key: key,
        amount_cents: TEA_CLUB.prices[currency === 'EUR' ? 'EUR' : 'USD'],
        currency,
        product_id: TEA_CLUB.id,
        ...subscriptionOf(key),
        is_recurring: true,
      },
    });
  }
  return renewals;
}
