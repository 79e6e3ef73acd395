import * as messages from '#messages/setup.tsx';
import { NODE_CLIENT, nodeEnvironment } from '../../../src/snippets.ts';
import type { SnippetsOf } from './snippets.ts';

/** The ways to report sign-ups, sales and refunds. */
export const SERVER_SNIPPETS = {
  node: (target) => [
    { title: messages.inTerminal, code: 'npm install @affkit/node' },
    { title: messages.inEnvironment, code: nodeEnvironment(target, 'aff_…') },
    { title: messages.atStart, code: NODE_CLIENT },
    {
      title: messages.onSignUp,
      code: `// ${messages.comments.clickId}
const clickId = request.cookies.service_click_id;
await affkit.lead({
  click_id: clickId,
  customer_key: user.id,
  email: user.email,
});`,
    },
    {
      title: messages.onPayment,
      code: `await affkit.sale({
  transaction_id: payment.id,
  amount_cents: 1999,
  currency: '${target.currency}',
  customer_key: user.id,
});`,
    },
    {
      title: messages.onRefund,
      code: `await affkit.refund({
  transaction_id: payment.id,
  refund_id: refund.id,
  refund_amount_cents: 500,
});`,
    },
  ],
  http: ({ api, currency }) => [
    { title: messages.token, code: 'AFFKIT_TOKEN=aff_…' },
    {
      title: messages.onSignUp,
      code: curl(`${api}/api/v1/track/lead`, { click_id: 'clk_…', customer_key: 'user-1' }),
    },
    {
      title: messages.onPayment,
      code: curl(`${api}/api/v1/track/sale`, {
        transaction_id: 'order-1',
        amount_cents: 1999,
        currency,
        customer_key: 'user-1',
      }),
    },
    {
      title: messages.onRefund,
      code: curl(`${api}/api/v1/track/refund`, {
        transaction_id: 'order-1',
        refund_id: 'refund-1',
        refund_amount_cents: 500,
      }),
    },
  ],
  stripe: ({ programId }) => [
    {
      title: messages.inCheckout,
      code: `const metadata = {
  program_id: '${programId}',
  // ${messages.comments.customerKey}
  service_customer_key: user.id,
  // ${messages.comments.cookie}
  service_click_id: clickId,
};
await stripe.checkout.sessions.create({
  mode: 'subscription',
  line_items,
  success_url,
  metadata,
  subscription_data: { metadata },
});`,
    },
    {
      title: messages.stripeEvents,
      code: `checkout.session.completed
checkout.session.async_payment_succeeded
invoice.paid
invoice_payment.paid
charge.refunded
refund.created
refund.updated
refund.failed
charge.dispute.created
charge.dispute.funds_withdrawn
charge.dispute.funds_reinstated
charge.dispute.closed`,
    },
  ],
} as const satisfies Readonly<Record<ServerGuide, SnippetsOf>>;

export type ServerGuide = keyof typeof messages.serverGuides;

function curl(url: string, body: Readonly<Record<string, string | number>>): string {
  return `curl -s ${url} \\
  -H 'content-type: application/json' \\
  -H "authorization: Bearer $AFFKIT_TOKEN" \\
  -d '${JSON.stringify(body, null, 2)}'`;
}
