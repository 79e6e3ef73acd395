import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import * as common from '#messages/common.ts';
import * as messages from '#messages/webhooks.tsx';
import type { ListReply, WebhookEndpoint } from '../../api/types.ts';
import { apiQuery, useApi } from '../../api/use-api.ts';
import { type ProgramView, useProgram } from '../../session/session.tsx';
import type { Prefetch } from '../../shell/lazy-page.tsx';
import { Button } from '../../ui/controls.tsx';
import { Link } from '../../ui/link.tsx';
import { Page } from '../../ui/page.tsx';
import { Empty } from '../../ui/state.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { Time } from '../../ui/values.tsx';
import { EndpointActions } from './endpoint-actions.tsx';
import { EndpointDialog } from './endpoint-dialog.tsx';
import { EndpointState } from './endpoint-state.tsx';

/** The endpoints that receive webhooks of a program. */
export function Webhooks(): JSX.Element {
  const view = useProgram();
  const [isCreating, setCreating] = useState(false);
  const endpoints = useApi<ListReply<WebhookEndpoint>>(`${view.api}/webhook-endpoints`);
  const create = view.may('webhook:write') && (
    <Button kind="primary" onClick={() => setCreating(true)}>
      {messages.create}
    </Button>
  );
  return (
    <Page
      title={common.webhooks}
      error={endpoints.error}
      intro={messages.intro}
      actions={endpoints.data?.data.length !== 0 && create}
    >
      <Table
        label={common.webhooks}
        columns={columnsOf(view)}
        rows={endpoints.data?.data}
        error={endpoints.error}
        onRetry={() => void endpoints.refetch()}
        empty={<Empty action={create}>{messages.none}</Empty>}
        loadingRows={3}
      />
      {isCreating && <EndpointDialog onClose={() => setCreating(false)} />}
    </Page>
  );
}

const prefetch: Prefetch = (client, { api }) =>
  void client.prefetchQuery(apiQuery(`${api}/webhook-endpoints`));
Webhooks.prefetch = prefetch;

function columnsOf(view: ProgramView): readonly Column<WebhookEndpoint>[] {
  return [
    {
      title: messages.endpoint,
      cell: ({ id, url, description }) => (
        <>
          <Link to={`${view.page}/webhooks/${id}`} whole={url}>
            {url}
          </Link>
          {description !== null && <span class="sub line">{description}</span>}
        </>
      ),
    },
    {
      title: messages.events,
      cell: ({ event_types }) => (
        <span title={event_types.join(', ')}>{messages.eventCount(event_types.length)}</span>
      ),
    },
    {
      title: common.status,
      size: 'medium',
      cell: ({ status }) => (
        <>
          <EndpointState status={status} />
          {messages.stateHints[status] !== null && <span class="sub">{messages.stateHints[status]}</span>}
        </>
      ),
    },
    {
      title: messages.lastSuccess,
      cell: ({ last_success_at }) => <Time at={last_success_at} />,
    },
    { title: '', align: 'end', cell: (endpoint) => <EndpointActions endpoint={endpoint} /> },
  ];
}
