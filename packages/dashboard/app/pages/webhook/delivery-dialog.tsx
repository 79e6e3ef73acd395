import type { JSX } from 'preact';
import * as common from '#messages/common.ts';
import * as messages from '#messages/webhooks.tsx';
import type { ItemReply, WebhookDeliveryDetail } from '../../api/types.ts';
import { useApi } from '../../api/use-api.ts';
import { CodeBlock } from '../../ui/code-block.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Badge, ErrorNotice } from '../../ui/state.tsx';
import { Time } from '../../ui/values.tsx';
import { DeliveryState } from './delivery-state.tsx';
import { SendAgain } from './send-again.tsx';

const REFRESH_MS = 3_000;

type Attempt = WebhookDeliveryDetail['log'][number];

/**
 * A delivery with the body of its request, and every attempt with its response. The dialog opens when the
 * delivery has loaded, because its height is not known in advance.
 */
export function DeliveryDialog({
  path,
  deliveryId,
  onClose,
}: {
  /** Path of the endpoint in the API. */
  path: string;
  deliveryId: string;
  onClose: () => void;
}): JSX.Element | null {
  const { data, error, refetch } = useApi<ItemReply<WebhookDeliveryDetail>>(
    `${path}/deliveries/${encodeURIComponent(deliveryId)}`,
    {},
    { refreshMs: ({ reply }) => reply.data.status === 'queued' && REFRESH_MS },
  );
  const delivery = data?.data;
  if (error) {
    return (
      <Dialog title={messages.delivery} wide onClose={onClose}>
        <ErrorNotice error={error} onRetry={() => void refetch()} />
      </Dialog>
    );
  }
  if (!delivery) return null;
  return (
    <Dialog title={delivery.event_type} wide onClose={onClose}>
      <DeliveryFacts delivery={delivery} />
      <div>
        <SendAgain path={path} delivery={delivery} />
      </div>
      <CodeBlock title={messages.requestBody} code={JSON.stringify(delivery.event, null, 2)} />
      {delivery.log.length === 0 && <p class="quiet">{messages.noAttempts}</p>}
      {delivery.log.toReversed().map((attempt) => (
        <AttemptCard key={attempt.attempt} attempt={attempt} />
      ))}
    </Dialog>
  );
}

function DeliveryFacts({ delivery }: { delivery: WebhookDeliveryDetail }): JSX.Element {
  return (
    <dl class="facts">
      <dt>{common.status}</dt>
      <dd>
        <DeliveryState delivery={delivery} />
      </dd>
      <dt>{messages.time}</dt>
      <dd>
        <Time at={delivery.created_at} />
      </dd>
      <dt>
        <code>{messages.webhookId}</code>
      </dt>
      <dd>
        <code>{delivery.webhook_id}</code>
      </dd>
    </dl>
  );
}

/** One attempt of a delivery. */
function AttemptCard({ attempt }: { attempt: Attempt }): JSX.Element {
  const { status, error, response_headers, response_body } = attempt;
  const isSuccess = status !== null && status >= 200 && status < 300;
  return (
    <section class="card stack tight" aria-label={messages.attempt(attempt.attempt)}>
      <div class="row apart">
        <div class="row">
          <h3>{messages.attempt(attempt.attempt)}</h3>
          <Badge tone={isSuccess ? 'good' : 'bad'}>
            {status === null ? messages.noResponse : messages.httpStatus(status)}
          </Badge>
        </div>
        <span class="quiet small">
          <Time at={attempt.attempted_at} /> · {messages.milliseconds(attempt.duration_ms)}
        </span>
      </div>
      {error !== null && <p>{error}</p>}
      {response_body && <CodeBlock title={messages.responseBody} code={response_body} />}
      {response_headers !== null && <Headers title={messages.responseHeaders} headers={response_headers} />}
      <Headers title={messages.requestHeaders} headers={attempt.request_headers} />
    </section>
  );
}

function Headers({
  title,
  headers,
}: {
  title: string;
  headers: Readonly<Record<string, string>>;
}): JSX.Element {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return (
    <details>
      <summary>{title}</summary>
      <pre class="code">{lines.join('\n')}</pre>
    </details>
  );
}
