import type { JSX } from 'preact';
import * as common from '#messages/common.ts';
import * as messages from '#messages/emails.tsx';
import type { Email, ListReply } from '../../api/types.ts';
import { useApi } from '../../api/use-api.ts';
import { useWorkspace, type WorkspaceView } from '../../session/session.tsx';
import { Button, Select } from '../../ui/controls.tsx';
import { Filters } from '../../ui/filters.tsx';
import { Link } from '../../ui/link.tsx';
import { SearchField } from '../../ui/search-field.tsx';
import { Badge, Empty, type Tone } from '../../ui/state.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { useLastPage } from '../../ui/use-last-page.ts';
import { useQueryState } from '../../ui/use-query-state.ts';
import { Time } from '../../ui/values.tsx';
import { EMAILS_PATH, kindName, TEMPLATE_GROUPS } from './kinds.ts';

const PAGE_SIZE = 25;
const REFRESH_MS = 5_000;
const NO_FILTERS = { q: '', status: '', kind: '', program_id: '' };
const TONES: Readonly<Record<Email['status'], Tone>> = { queued: 'warn', sent: 'good', failed: 'bad' };

const STATUS_CHOICES = [
  { value: '', text: common.allStatuses },
  ...Object.entries(messages.statuses).map(([value, text]) => ({ value, text })),
];
const KIND_CHOICES = [
  { value: '', text: messages.allKinds },
  ...[...TEMPLATE_GROUPS.flatMap(({ templates }) => templates), 'test' as const].map((value) => ({
    value,
    text: kindName(value),
  })),
];

/** The emails of the workspace, newest first. */
export function SentEmails(): JSX.Element {
  const workspace = useWorkspace();
  const [query, change] = useQueryState();
  const { q = '', status = '', kind = '', program_id = '', page } = query;
  const emails = useApi<ListReply<Email>>(
    EMAILS_PATH,
    { workspace_id: workspace.id, q, status, kind, program_id, page, pageSize: PAGE_SIZE },
    { refreshMs: ({ reply }) => reply.data.some((email) => email.status === 'queued') && REFRESH_MS },
  );
  useLastPage(emails);
  const count = [status, kind, program_id].filter((value) => value !== '').length;
  const clear = <Button onClick={() => change(NO_FILTERS)}>{common.clearFilters}</Button>;
  const programChoices = [
    { value: '', text: messages.allPrograms },
    ...workspace.programs.map(({ id, name }) => ({ value: String(id), text: name })),
  ];
  return (
    <>
      <Filters count={count} search={<SearchField label={messages.search} placeholder={messages.search} />}>
        <Select
          label={messages.state}
          value={status}
          choices={STATUS_CHOICES}
          onChange={(value) => change({ status: value })}
        />
        <Select
          label={messages.kind}
          value={kind}
          choices={KIND_CHOICES}
          onChange={(value) => change({ kind: value })}
        />
        {workspace.programs.length > 1 && (
          <Select
            label={common.program}
            isWide
            value={program_id}
            choices={programChoices}
            onChange={(value) => change({ program_id: value })}
          />
        )}
      </Filters>
      <Table
        label={messages.tabs.sent}
        columns={columnsOf(workspace)}
        rows={emails.data?.data}
        isStale={emails.isPlaceholderData}
        error={emails.error}
        onRetry={() => void emails.refetch()}
        pagination={emails.data?.meta.pagination}
        empty={count > 0 || q !== '' ? <Empty action={clear}>{messages.noneMatches}</Empty> : messages.none}
      />
    </>
  );
}

function columnsOf({ programs }: WorkspaceView): readonly Column<Email>[] {
  const nameOf = (id: number | null) => programs.find((program) => program.id === id)?.name;
  return [
    {
      title: messages.recipient,
      cell: ({ recipient, partner_id, program_id }) =>
        partner_id === null || nameOf(program_id) === undefined ? (
          <strong>{recipient}</strong>
        ) : (
          <Link to={`/p/${program_id}/partners/${partner_id}`}>{recipient}</Link>
        ),
    },
    {
      title: messages.kind,
      size: 'medium',
      cell: ({ kind, program_id }) => (
        <>
          {kindName(kind)}
          {programs.length > 1 && <span class="sub line">{nameOf(program_id)}</span>}
        </>
      ),
    },
    {
      title: messages.state,
      size: 'wide',
      cell: ({ status, error, next_attempt_at }) => (
        <>
          <Badge tone={TONES[status]}>{messages.statuses[status]}</Badge>
          {error !== null && <span class="sub">{error}</span>}
          {error !== null && next_attempt_at !== null && (
            <span class="sub">{messages.nextTry(<Time at={next_attempt_at} />)}</span>
          )}
        </>
      ),
    },
    { title: common.created, size: 'fit', cell: ({ created_at }) => <Time at={created_at} /> },
  ];
}
