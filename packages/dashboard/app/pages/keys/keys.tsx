import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import * as common from '#messages/common.ts';
import * as messages from '#messages/keys.ts';
import type { ApiKey, ListReply } from '../../api/types.ts';
import { useApi, useChange } from '../../api/use-api.ts';
import { useWorkspace, type WorkspaceView } from '../../session/session.tsx';
import { Button } from '../../ui/controls.tsx';
import { FormDialog } from '../../ui/dialog.tsx';
import { ActionMenu } from '../../ui/menu.tsx';
import { Page } from '../../ui/page.tsx';
import { usePageOverlay } from '../../ui/page-overlay.tsx';
import { Empty, Status } from '../../ui/state.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { useLastPage } from '../../ui/use-last-page.ts';
import { useQueryState } from '../../ui/use-query-state.ts';
import { Time } from '../../ui/values.tsx';
import { KeyDialog } from './key-dialog.tsx';
import { KEYS_PATH } from './keys-path.ts';
import { summarizeScopes } from './scopes.ts';

const PAGE_SIZE = 25;

/** The API keys of a workspace. */
export function ApiKeys(): JSX.Element {
  const workspace = useWorkspace();
  const [{ page }] = useQueryState();
  const [isCreating, setCreating] = useState(false);
  const keys = useApi<ListReply<ApiKey>>(KEYS_PATH, {
    workspace_id: workspace.id,
    page,
    pageSize: PAGE_SIZE,
  });
  useLastPage(keys);
  const create = workspace.may('api-key:write') && (
    <Button kind="primary" onClick={() => setCreating(true)}>
      {messages.create}
    </Button>
  );
  return (
    <Page title={common.apiKeys} error={keys.error} intro={messages.intro} actions={create}>
      <Table
        label={common.apiKeys}
        columns={columnsOf(workspace)}
        rows={keys.data?.data}
        isStale={keys.isPlaceholderData}
        error={keys.error}
        onRetry={() => void keys.refetch()}
        pagination={keys.data?.meta.pagination}
        empty={<Empty action={create}>{messages.none}</Empty>}
      />
      {isCreating && <KeyDialog onClose={() => setCreating(false)} />}
    </Page>
  );
}

function columnsOf({ programs, may }: WorkspaceView): readonly Column<ApiKey>[] {
  const nameOf = (id: string) =>
    programs.find((program) => String(program.id) === id)?.name ?? messages.unnamedProgram(id);
  return [
    {
      title: messages.key,
      cell: ({ name, key_masked }) => (
        <>
          <strong>{name}</strong>
          <span class="sub mono">{key_masked}</span>
        </>
      ),
    },
    { title: common.status, cell: (key) => <Status status={keyStatusOf(key)} /> },
    { title: messages.access, size: 'medium', cell: ({ scopes }) => summarizeScopes(scopes) },
    {
      title: messages.programs,
      size: 'medium',
      cell: ({ program_scope }) =>
        program_scope ? messages.programList(program_scope.map(nameOf)) : messages.inAll,
    },
    {
      title: messages.lastUsed,
      cell: ({ last_used_at }) => (last_used_at === null ? messages.never : <Time at={last_used_at} />),
    },
    {
      title: messages.expires,
      cell: ({ expires_at }) => (expires_at === null ? messages.never : <Time at={expires_at} dateOnly />),
    },
    ...(may('api-key:write')
      ? [{ title: '', align: 'end' as const, cell: (key: ApiKey) => <KeyActions apiKey={key} /> }]
      : []),
  ];
}

function keyStatusOf({ status, expires_at }: ApiKey): string {
  const isExpired = expires_at !== null && Date.parse(expires_at) <= Date.now();
  return status === 'active' && isExpired ? 'expired' : status;
}

/** The actions on a key. Revoking asks for confirmation, because it cannot be undone. */
function KeyActions({ apiKey: { id, name, status } }: { apiKey: ApiKey }): JSX.Element | null {
  const { mutateAsync } = useChange(KEYS_PATH);
  const { open } = usePageOverlay();
  if (status === 'revoked') return null;
  const revoke = () =>
    open((onClose) => (
      <FormDialog
        title={messages.revokeTitle(name)}
        submit={messages.revoke}
        danger
        onSubmit={() => mutateAsync({ method: 'DELETE', path: `${KEYS_PATH}/${id}` })}
        onClose={onClose}
      >
        <p>{messages.revokeWarning}</p>
      </FormDialog>
    ));
  return (
    <ActionMenu
      label={messages.actionsFor(name)}
      actions={[{ text: messages.revokeWithDialog, danger: true, run: revoke }]}
    />
  );
}
