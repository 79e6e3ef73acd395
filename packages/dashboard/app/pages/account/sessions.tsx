import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import * as messages from '#messages/account.ts';
import * as common from '#messages/common.ts';
import type { BrowserSession, ListReply } from '../../api/types.ts';
import { useApi, useChange } from '../../api/use-api.ts';
import { useSignOut } from '../../session/use-sign-out.ts';
import { Button } from '../../ui/controls.tsx';
import { FormDialog } from '../../ui/dialog.tsx';
import { Badge, Empty } from '../../ui/state.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { useToast } from '../../ui/toast.tsx';
import { useLastPage } from '../../ui/use-last-page.ts';
import { useQueryState } from '../../ui/use-query-state.ts';
import { Time } from '../../ui/values.tsx';

/** The API route of the user's sessions. */
export const SESSIONS_PATH = '/api/auth/sessions';

const PAGE_SIZE = 10;

/** The user's sessions. */
export function Sessions(): JSX.Element {
  const [{ page }] = useQueryState();
  const sessions = useApi<ListReply<BrowserSession>>(SESSIONS_PATH, { page, pageSize: PAGE_SIZE });
  useLastPage(sessions);
  const { mutateAsync } = useChange(SESSIONS_PATH);
  const signOut = useSignOut();
  const [ending, setEnding] = useState<'others' | 'all' | null>(null);
  const endOthers = () => mutateAsync({ method: 'DELETE', path: SESSIONS_PATH });
  const close = () => setEnding(null);
  const total = sessions.data?.meta.pagination.total ?? 0;
  return (
    <section class="stack tight" aria-labelledby="sessions">
      <div class="row apart section-head">
        <h2 id="sessions">{messages.signedInOn}</h2>
        {total > 1 && (
          <div class="row">
            <Button onClick={() => setEnding('others')}>{messages.signOutOthers}</Button>
            <Button onClick={() => setEnding('all')}>{messages.signOutEverywhere}</Button>
          </div>
        )}
      </div>
      <Table
        label={messages.sessions}
        columns={SESSION_COLUMNS}
        rows={sessions.data?.data}
        isStale={sessions.isPlaceholderData}
        error={sessions.error}
        onRetry={() => void sessions.refetch()}
        pagination={sessions.data?.meta.pagination}
        empty={<Empty>{messages.noSessions}</Empty>}
      />
      {ending === 'others' && (
        <FormDialog
          title={messages.signOutOthersTitle}
          submit={messages.signOutOthers}
          danger
          onSubmit={endOthers}
          onClose={close}
        >
          <p>{messages.signOutOthersWarning}</p>
        </FormDialog>
      )}
      {ending === 'all' && (
        <FormDialog
          title={messages.signOutEverywhereTitle}
          submit={messages.signOutEverywhere}
          danger
          onSubmit={async () => {
            await endOthers();
            signOut();
          }}
          onClose={close}
        >
          <p>{messages.signOutEverywhereWarning}</p>
        </FormDialog>
      )}
    </section>
  );
}

const SESSION_COLUMNS: readonly Column<BrowserSession>[] = [
  {
    title: messages.device,
    cell: ({ device, kind, current }) => (
      <>
        <span class="row">
          <strong>{device ?? messages.unknownDevice}</strong>
          {current && <Badge tone="good">{messages.thisDevice}</Badge>}
        </span>
        <span class="sub">{messages.kinds[kind]}</span>
      </>
    ),
  },
  { title: messages.signedIn, cell: ({ created_at }) => <Time at={created_at} /> },
  { title: messages.lastUsed, cell: ({ last_used_at }) => <Time at={last_used_at} /> },
  { title: messages.ends, cell: ({ expires_at }) => <Time at={expires_at} /> },
  { title: '', align: 'end', cell: (session) => <EndSession session={session} /> },
];

function EndSession({ session: { id, device, current } }: { session: BrowserSession }): JSX.Element {
  const { mutateAsync, isPending } = useChange(SESSIONS_PATH);
  const signOut = useSignOut();
  const toast = useToast();
  const end = async () => {
    try {
      await mutateAsync({ method: 'DELETE', path: `${SESSIONS_PATH}/${id}` });
      toast(messages.signedOut(device));
    } catch (error) {
      toast(error instanceof Error ? error.message : common.signOutFailed);
    }
  };
  return (
    <Button kind="plain" busy={isPending} onClick={current ? signOut : () => void end()}>
      {common.signOut}
    </Button>
  );
}
