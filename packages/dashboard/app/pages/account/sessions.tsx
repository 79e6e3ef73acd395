import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { BrowserSession, ListReply } from '../../api/types.ts';
import { useApi, useChange } from '../../api/use-api.ts';
import { useSignOut } from '../../session/use-sign-out.ts';
import { Button } from '../../ui/controls.tsx';
import { FormDialog } from '../../ui/dialog.tsx';
import { Badge, Empty } from '../../ui/state.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { useToast } from '../../ui/toast.tsx';
import { useQueryState } from '../../ui/use-query-state.ts';
import { Time } from '../../ui/values.tsx';

/** Route of the user's sessions. */
export const SESSIONS_PATH = '/api/auth/sessions';

const PAGE_SIZE = 10;

/** Where the user is signed in. */
export function Sessions(): JSX.Element {
  const [{ page }] = useQueryState();
  const sessions = useApi<ListReply<BrowserSession>>(SESSIONS_PATH, { page, pageSize: PAGE_SIZE });
  const { mutateAsync } = useChange(SESSIONS_PATH);
  const [isEnding, setEnding] = useState(false);
  const total = sessions.data?.meta.pagination.total ?? 0;
  return (
    <section class="stack tight" aria-labelledby="sessions">
      <div class="row apart section-head">
        <h2 id="sessions">Signed in on</h2>
        {total > 1 && <Button onClick={() => setEnding(true)}>Sign out all others</Button>}
      </div>
      <Table
        label="Sessions"
        columns={COLUMNS}
        rows={sessions.data?.data}
        error={sessions.error}
        onRetry={() => void sessions.refetch()}
        pagination={sessions.data?.meta.pagination}
        empty={<Empty>No sessions on this page.</Empty>}
      />
      {isEnding && (
        <FormDialog
          title="Sign out all others?"
          submit="Sign out all others"
          danger
          onSubmit={() => mutateAsync({ method: 'DELETE', path: SESSIONS_PATH })}
          onClose={() => setEnding(false)}
        >
          <p>Every other browser and API client needs your password to sign in again.</p>
        </FormDialog>
      )}
    </section>
  );
}

const COLUMNS: readonly Column<BrowserSession>[] = [
  {
    title: 'Device',
    cell: ({ device, kind, current }) => (
      <>
        <strong>{device ?? 'Unknown device'}</strong> {current && <Badge tone="good">This device</Badge>}
        <span class="sub">{kind === 'browser' ? 'Dashboard' : 'API client'}</span>
      </>
    ),
  },
  { title: 'Signed in', cell: ({ created_at }) => <Time at={created_at} /> },
  { title: 'Last used', cell: ({ last_used_at }) => <Time at={last_used_at} /> },
  { title: 'Ends', cell: ({ expires_at }) => <Time at={expires_at} /> },
  { title: '', align: 'end', cell: (session) => <EndSession session={session} /> },
];

function EndSession({ session: { id, device, current } }: { session: BrowserSession }): JSX.Element {
  const { mutateAsync, isPending } = useChange(SESSIONS_PATH);
  const signOut = useSignOut();
  const toast = useToast();
  const end = async () => {
    try {
      await mutateAsync({ method: 'DELETE', path: `${SESSIONS_PATH}/${id}` });
      toast(`${device ?? 'The device'} is signed out.`);
    } catch (error) {
      toast(error instanceof Error ? error.message : 'Signing out failed.');
    }
  };
  return (
    <Button kind="plain" busy={isPending} onClick={current ? signOut : () => void end()}>
      Sign out
    </Button>
  );
}
