import type { JSX } from 'preact';
import { useRoute } from 'preact-iso';
import * as common from '#messages/common.ts';
import * as messages from '#messages/webhooks.tsx';
import type { ItemReply, WebhookEndpoint } from '../../api/types.ts';
import { useApi } from '../../api/use-api.ts';
import { useProgram } from '../../session/session.tsx';
import { Link } from '../../ui/link.tsx';
import { Page } from '../../ui/page.tsx';
import { ErrorNotice, Skeleton } from '../../ui/state.tsx';
import { useQueryState } from '../../ui/use-query-state.ts';
import { Time } from '../../ui/values.tsx';
import { EndpointActions } from '../webhooks/endpoint-actions.tsx';
import { EndpointState } from '../webhooks/endpoint-state.tsx';
import { Deliveries } from './deliveries.tsx';
import { DeliveryDialog } from './delivery-dialog.tsx';

/** An endpoint, and the log of its deliveries. */
export function WebhookDetail(): JSX.Element {
  const { api, page } = useProgram();
  const endpointId = useRoute().params['endpointId'] ?? '';
  const [{ delivery = '', page: listPage = '' }, change] = useQueryState();
  const path = `${api}/webhook-endpoints/${endpointId}`;
  const reply = useApi<ItemReply<WebhookEndpoint>>(path);
  // The reply contains the previous endpoint until the new endpoint has arrived.
  const endpoint = String(reply.data?.data.id) === endpointId ? reply.data?.data : undefined;
  const above = <Link to={`${page}/webhooks`}>{common.webhooks}</Link>;
  if (reply.error && !endpoint) {
    return (
      <Page title={messages.endpoint} above={above}>
        <ErrorNotice error={reply.error} onRetry={() => void reply.refetch()} />
      </Page>
    );
  }
  return (
    <Page
      title={endpoint ? new URL(endpoint.url).host : messages.endpoint}
      above={above}
      actions={
        endpoint ? (
          <EndpointActions endpoint={endpoint} />
        ) : (
          <Skeleton width="var(--control)" height="var(--control)" />
        )
      }
    >
      <div class="stack">
        {reply.error && <ErrorNotice error={reply.error} onRetry={() => void reply.refetch()} />}
        <EndpointFacts endpoint={endpoint} />
        {/* The log loads now, but is shown only after the facts, because the facts would push it down. */}
        <div hidden={endpoint === undefined}>
          <Deliveries key={path} path={path} />
        </div>
      </div>
      {delivery !== '' && (
        <DeliveryDialog
          key={delivery}
          path={path}
          deliveryId={delivery}
          onClose={() => change({ delivery: '', page: listPage }, true)}
        />
      )}
    </Page>
  );
}

function EndpointFacts({ endpoint }: { endpoint: WebhookEndpoint | undefined }): JSX.Element {
  return (
    <section class="card" aria-label={messages.facts}>
      {endpoint === undefined ? (
        <Skeleton height="150px" width="100%" />
      ) : (
        <dl class="facts">
          <dt>{common.status}</dt>
          <dd>
            <StateFact endpoint={endpoint} />
          </dd>
          <dt>{messages.url}</dt>
          <dd>
            <code>{endpoint.url}</code>
          </dd>
          {endpoint.description !== null && (
            <>
              <dt>{messages.description}</dt>
              <dd>{endpoint.description}</dd>
            </>
          )}
          <dt>{messages.events}</dt>
          <dd>{endpoint.event_types.join(', ')}</dd>
          <dt>{messages.lastSuccess}</dt>
          <dd>
            <Time at={endpoint.last_success_at} />
          </dd>
          <dt>{messages.lastFailure}</dt>
          <dd>
            <Time at={endpoint.last_failure_at} />
          </dd>
          {isFuture(endpoint.previous_secret_until) && (
            <>
              <dt>{messages.oldSecret}</dt>
              <dd>{messages.signsUntil(<Time at={endpoint.previous_secret_until} />)}</dd>
            </>
          )}
        </dl>
      )}
    </section>
  );
}

function StateFact({ endpoint: { status, next_attempt_at } }: { endpoint: WebhookEndpoint }): JSX.Element {
  return (
    <>
      <EndpointState status={status} />
      {messages.stateHints[status] !== null && <span class="sub">{messages.stateHints[status]}</span>}
      {status === 'failing' && isFuture(next_attempt_at) && (
        <span class="sub">{messages.nextAttempt(<Time at={next_attempt_at} />)}</span>
      )}
    </>
  );
}

function isFuture(at: string | null): boolean {
  return at !== null && Date.parse(at) > Date.now();
}
