import { type Letter, toOneLine } from '../letter.ts';
import { greet, plural } from './phrases.ts';

/** Tells a member that an endpoint does not receive its webhooks. */
export function webhookFailingMail(webhook: {
  readonly name: string;
  readonly programName: string;
  readonly host: string;
  /** The number of webhooks that could not be delivered. Null if the endpoint was paused. */
  readonly failed: number | null;
  readonly url: string;
}): Letter {
  const { failed, host, url } = webhook;
  const program = toOneLine(webhook.programName);
  const reason =
    failed === null
      ? `${host} answered a webhook of ${program} with the status 410 (Gone). No more webhooks are sent to this endpoint until you resume it.`
      : `${plural(failed, 'webhook', 'webhooks')} of ${program} could not be delivered to ${host} within three days.`;
  return {
    subject:
      failed === null
        ? `A webhook endpoint is paused: ${program}`
        : `Webhooks were not delivered: ${program}`,
    greeting: greet(webhook.name),
    paragraphs: [
      reason,
      'The page of the endpoint lists each webhook with its request and response. You can send webhooks again there.',
    ],
    button: { label: 'Open the endpoint', url },
    notes: [],
  };
}
