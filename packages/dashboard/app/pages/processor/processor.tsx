import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import * as common from '#messages/common.ts';
import * as messages from '#messages/processor.tsx';
import type { ItemReply, ListReply, ProcessorConnection, ProgramSetup } from '../../api/types.ts';
import { useApi } from '../../api/use-api.ts';
import { useWorkspace } from '../../session/session.tsx';
import { Button } from '../../ui/controls.tsx';
import { Page } from '../../ui/page.tsx';
import { Empty, ErrorNotice, Skeleton } from '../../ui/state.tsx';
import { Time } from '../../ui/values.tsx';
import { ConnectionCard } from './connection-card.tsx';
import { ConnectionDialog } from './connection-dialog.tsx';
import { CONNECTIONS_PATH } from './connections-path.ts';

const CONNECTIONS_REFRESH_MS = 10_000;

/** The connection of a workspace to Stripe. */
export function Processor(): JSX.Element {
  const { id, programs } = useWorkspace();
  const [isConnecting, setConnecting] = useState(false);
  const connections = useApi<ListReply<ProcessorConnection>>(
    CONNECTIONS_PATH,
    { workspace_id: id, pageSize: 100 },
    { refreshMs: CONNECTIONS_REFRESH_MS },
  );
  const all = connections.data?.data ?? [];
  const active = all.filter(({ status }) => status !== 'disconnected');
  const ended = all.filter(({ status }) => status === 'disconnected');
  // The setup of every program in the workspace contains the latest webhook, so the first program is enough.
  const [program] = programs;
  const setup = useApi<ItemReply<ProgramSetup>>(
    `/api/advertiser/affiliate-programs/${program?.id}/integration`,
    {},
    { enabled: program !== undefined && active.length > 0, refreshMs: CONNECTIONS_REFRESH_MS },
  );
  const webhook = setup.data?.data.webhook ?? null;
  const connect = (
    <Button kind="primary" onClick={() => setConnecting(true)}>
      {messages.connect}
    </Button>
  );
  return (
    <Page title={common.processor} intro={messages.intro}>
      {connections.error && (
        <ErrorNotice error={connections.error} onRetry={() => void connections.refetch()} />
      )}
      {connections.isPending && (
        <div class="card stack" aria-busy="true">
          <Skeleton width="120px" height="20px" />
          <Skeleton width="60%" />
          <Skeleton height="44px" />
        </div>
      )}
      {connections.data && (
        <div class="stack">
          {active.length === 0 && (
            <div class="card flush">
              <Empty action={connect}>{messages.none}</Empty>
            </div>
          )}
          {active.map((connection) => (
            <ConnectionCard
              key={connection.id}
              connection={connection}
              webhook={webhook?.connection_id === connection.id ? webhook : null}
            />
          ))}
          {ended.length > 0 && <Ended connections={ended} />}
        </div>
      )}
      {isConnecting && <ConnectionDialog connection={null} onClose={() => setConnecting(false)} />}
    </Page>
  );
}

function Ended({ connections }: { connections: readonly ProcessorConnection[] }): JSX.Element {
  return (
    <section class="card" aria-labelledby="ended">
      <h2 id="ended">{messages.ended}</h2>
      <ul class="entries">
        {connections.map(({ id, account_id, disconnected_at }) => (
          <li key={id}>
            <div class="row apart">
              <code>{account_id}</code>
              <span class="quiet">
                <Time at={disconnected_at} dateOnly />
              </span>
            </div>
          </li>
        ))}
      </ul>
    </section>
  );
}
