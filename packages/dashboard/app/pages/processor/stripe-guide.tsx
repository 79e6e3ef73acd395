import { Fragment, type JSX } from 'preact';
import * as messages from '#messages/processor.tsx';
import { CopyText } from '../../ui/copy-text.tsx';

const WEBHOOK_EVENTS: readonly (readonly [purpose: string, events: readonly string[]])[] = [
  [messages.purposes.sales, ['checkout.session.completed', 'checkout.session.async_payment_succeeded']],
  [messages.purposes.subscriptions, ['invoice.paid', 'invoice_payment.paid']],
  [messages.purposes.refunds, ['charge.refunded', 'refund.created', 'refund.updated', 'refund.failed']],
  [
    messages.purposes.disputes,
    [
      'charge.dispute.created',
      'charge.dispute.funds_withdrawn',
      'charge.dispute.funds_reinstated',
      'charge.dispute.closed',
    ],
  ],
  [messages.purposes.creditNotes, ['credit_note.created']],
  [messages.purposes.otherPayments, ['payment_intent.succeeded', 'charge.succeeded']],
];

/** The Stripe events to select, by purpose. */
export function StripeEvents(): JSX.Element {
  return (
    <dl class="facts">
      {WEBHOOK_EVENTS.map(([purpose, events]) => (
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

/** The metadata that a payment must have so that a partner is credited. */
export function StripeMetadata({ programId }: { programId: number | undefined }): JSX.Element {
  const code = `const metadata = {
  program_id: '${programId ?? messages.programIdExample}',
  service_customer_key: user.id, // ${messages.sameIdComment}
};
await stripe.checkout.sessions.create({
  mode: 'subscription',
  line_items,
  success_url,
  metadata,
  subscription_data: { metadata }, // ${messages.renewalsComment}
});`;
  return <CopyText label={messages.metadataSnippet} text={code} />;
}
