import { Fragment, type JSX } from 'preact';
import { CopyText } from '../../ui/copy-text.tsx';

const EVENTS: readonly (readonly [purpose: string, events: readonly string[]])[] = [
  ['Sales', ['checkout.session.completed', 'checkout.session.async_payment_succeeded']],
  ['Subscriptions', ['invoice.paid', 'invoice_payment.paid']],
  ['Refunds', ['charge.refunded', 'refund.created', 'refund.updated', 'refund.failed']],
  [
    'Disputes',
    [
      'charge.dispute.created',
      'charge.dispute.funds_withdrawn',
      'charge.dispute.funds_reinstated',
      'charge.dispute.closed',
    ],
  ],
  ['Refunds by credit note', ['credit_note.created']],
  ['Payments without a checkout', ['payment_intent.succeeded', 'charge.succeeded']],
];

/** The events to select at Stripe, by purpose. */
export function StripeEvents(): JSX.Element {
  return (
    <dl class="facts">
      {EVENTS.map(([purpose, events]) => (
        <Fragment key={purpose}>
          <dt>{purpose}</dt>
          <dd class="row">
            {events.map((event) => (
              <code key={event}>{event}</code>
            ))}
          </dd>
        </Fragment>
      ))}
    </dl>
  );
}

/** What the customer's payment must say, so that the partner is credited. */
export function StripeMetadata({ programId }: { programId: number | undefined }): JSX.Element {
  const text = [
    'const metadata = {',
    `  program_id: '${programId ?? 'the id of the program'}',`,
    '  service_customer_key: user.id, // the same id as in your sign-ups',
    '};',
    'await stripe.checkout.sessions.create({',
    "  mode: 'subscription',",
    '  line_items,',
    '  success_url,',
    '  metadata,',
    '  subscription_data: { metadata }, // so that renewals count, too',
    '});',
  ].join('\n');
  return <CopyText label="Metadata of each checkout" text={text} />;
}
