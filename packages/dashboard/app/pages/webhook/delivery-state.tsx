import type { JSX } from 'preact';
import * as messages from '#messages/webhooks.tsx';
import type { WebhookDelivery } from '../../api/types.ts';
import { Badge, type Tone } from '../../ui/state.tsx';
import { Time } from '../../ui/values.tsx';

const TONES: Readonly<Record<WebhookDelivery['status'], Tone>> = {
  queued: 'warn',
  succeeded: 'good',
  failed: 'bad',
};

/** The state of a delivery, why its latest attempt failed, and when it is tried again. */
export function DeliveryState({
  delivery: { status, last_error, next_attempt_at },
}: {
  delivery: WebhookDelivery;
}): JSX.Element {
  return (
    <>
      <Badge tone={TONES[status]}>{messages.deliveryStates[status]}</Badge>
      {last_error !== null && <span class="sub">{last_error}</span>}
      {last_error !== null && next_attempt_at !== null && (
        <span class="sub">{messages.nextAttempt(<Time at={next_attempt_at} />)}</span>
      )}
    </>
  );
}
