import { DAY_MS, type Plan, type TrackingCall } from './plan.ts';

/**
 * Calls that the service rejects: sales to customers whom nobody referred, and mistakes of an integration. The
 * page "Why?" explains them.
 * @param visit the first unused visit number
 */
export function planRejectedCalls({ end, shopUrl }: Plan, visit: number): TrackingCall[] {
  const mistakes: Pick<TrackingCall, 'route' | 'body' | 'browser'>[] = [
    {
      route: 'sale',
      body: { transaction_id: 'demo-order-walk-in-1', amount_cents: 4800, customer_key: 'demo-walk-in-1' },
    },
    {
      route: 'sale',
      body: { transaction_id: 'demo-order-cents', amount_cents: 19.99, customer_key: 'demo-user-1003' },
    },
    {
      route: 'lead',
      body: { click_id: 'clk_from-an-old-cookie', customer_key: 'demo-walk-in-2' },
    },
    {
      route: 'sale',
      body: { transaction_id: 'demo-order-walk-in-2', amount_cents: 1999, customer_key: 'demo-walk-in-2' },
    },
    {
      route: 'click',
      body: { affiliate_url: `${shopUrl}/?aff=steeping-room` },
      browser: { ip: '18.9.22.69', origin: 'https://translated-pages.example' },
    },
    {
      route: 'refund',
      body: { transaction_id: 'demo-order-walk-in-1', refund_id: 'demo-refund-walk-in-1' },
    },
    {
      route: 'sale',
      body: { transaction_id: 'demo-order-walk-in-3', amount_cents: 12_950, customer_key: 'demo-walk-in-3' },
    },
  ];
  return mistakes.map((call, index) => ({
    ...call,
    at: end - (mistakes.length - index) * 2 * DAY_MS - index * 7_013_000,
    visit: visit + index,
    isRejected: true,
  }));
}
