import type { JSX } from 'preact';
import * as messages from '#messages/webhooks.tsx';
import type { WebhookEndpoint } from '../../api/types.ts';
import { Badge, type Tone } from '../../ui/state.tsx';

const TONES: Readonly<Record<WebhookEndpoint['status'], Tone>> = {
  active: 'good',
  failing: 'bad',
  paused: 'warn',
  gone: 'bad',
};

/** Whether webhooks are sent to the endpoint. */
export function EndpointState({ status }: { status: WebhookEndpoint['status'] }): JSX.Element {
  return <Badge tone={TONES[status]}>{messages.states[status]}</Badge>;
}
