import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { ApiKey, ListReply } from '../../api/types.ts';
import { useApi, useChange } from '../../api/use-api.ts';
import { useWorkspace, type WorkspaceView } from '../../session/session.tsx';
import { Button } from '../../ui/controls.tsx';
import { FormDialog } from '../../ui/dialog.tsx';
import { ActionMenu } from '../../ui/menu.tsx';
import { Page } from '../../ui/page.tsx';
import { Empty, Status } from '../../ui/state.tsx';
import { type Column, Table } from '../../ui/table.tsx';
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
  const create = workspace.may('api-key:write') && (
    <Button kind="primary" onClick={() => setCreating(true)}>
      Create an API key
    </Button>
  );
  return (
    <Page
      title="API keys"
      intro="For software that manages this workspace without signing in. A key never allows more than its creator may do."
      actions={create}
    >
      <Table
        label="API keys"
        columns={columnsOf(workspace)}
        rows={keys.data?.data}
        error={keys.error}
        onRetry={() => void keys.refetch()}
        pagination={keys.data?.meta.pagination}
        empty={
          <Empty action={create}>
            No API keys yet. A key lets your own software read figures, approve partners, or pay out.
          </Empty>
        }
      />
      {isCreating && <KeyDialog onClose={() => setCreating(false)} />}
    </Page>
  );
}

function columnsOf({ programs, may }: WorkspaceView): readonly Column<ApiKey>[] {
  const nameOf = (id: string) =>
    programs.find((program) => String(program.id) === id)?.name ?? `Program ${id}`;
  return [
    {
      title: 'Key',
      cell: ({ name, key_masked }) => (
        <>
          <strong>{name}</strong>
          <span class="sub mono">{key_masked}</span>
        </>
      ),
    },
    { title: 'Status', cell: (key) => <Status status={statusOf(key)} /> },
    { title: 'May do', size: 'medium', cell: ({ scopes }) => summarizeScopes(scopes) },
    {
      title: 'Programs',
      size: 'medium',
      cell: ({ program_scope }) => program_scope?.map(nameOf).join(', ') ?? 'All',
    },
    {
      title: 'Last used',
      cell: ({ last_used_at }) => (last_used_at === null ? 'Never' : <Time at={last_used_at} />),
    },
    {
      title: 'Expires',
      cell: ({ expires_at }) => (expires_at === null ? 'Never' : <Time at={expires_at} dateOnly />),
    },
    ...(may('api-key:write')
      ? [{ title: '', align: 'end' as const, cell: (key: ApiKey) => <KeyActions apiKey={key} /> }]
      : []),
  ];
}

function statusOf({ status, expires_at }: ApiKey): string {
  const isExpired = expires_at !== null && Date.parse(expires_at) <= Date.now();
  return status === 'active' && isExpired ? 'expired' : status;
}

/** A revocation cannot be undone, so it asks first. */
function KeyActions({ apiKey: { id, name, status } }: { apiKey: ApiKey }): JSX.Element | null {
  const { mutateAsync } = useChange(KEYS_PATH);
  const [isRevoking, setRevoking] = useState(false);
  if (status === 'revoked') return null;
  return (
    <>
      <ActionMenu
        label={`Actions for ${name}`}
        actions={[{ text: 'Revoke…', danger: true, run: () => setRevoking(true) }]}
      />
      {isRevoking && (
        <FormDialog
          title={`Revoke ${name}?`}
          submit="Revoke"
          danger
          onSubmit={() => mutateAsync({ method: 'DELETE', path: `${KEYS_PATH}/${id}` })}
          onClose={() => setRevoking(false)}
        >
          <p>Requests with this key are refused at once. A revoked key cannot be used again.</p>
        </FormDialog>
      )}
    </>
  );
}
