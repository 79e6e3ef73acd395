import type { JSX } from 'preact';
import * as messages from '#messages/audit.tsx';
import * as common from '#messages/common.ts';
import type { AuditEntry, ListReply, Member } from '../../api/types.ts';
import { useApi } from '../../api/use-api.ts';
import { useWorkspace, type WorkspaceView } from '../../session/session.tsx';
import { Button, Select } from '../../ui/controls.tsx';
import { CsvLink } from '../../ui/csv-link.tsx';
import { DateRange } from '../../ui/date-range.tsx';
import { Filters } from '../../ui/filters.tsx';
import { Page } from '../../ui/page.tsx';
import { Empty } from '../../ui/state.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { useLastPage } from '../../ui/use-last-page.ts';
import { useQueryState } from '../../ui/use-query-state.ts';
import { Time } from '../../ui/values.tsx';
import { MEMBERS_PATH } from '../members/members-path.ts';
import { actionText, actorText, auditSubjectOf, subjectText } from './actions.ts';
import { changesOf, subjectNameOf } from './changes.ts';
import { Changes } from './changes-list.tsx';
import { isNamedKind, SubjectName } from './subject-name.tsx';

const AUDIT_LOG_PATH = '/api/advertiser/audit-log';
const PAGE_SIZE = 25;
const NO_FILTERS = { actor: '', action: '', subject: '', dateFrom: '', dateTo: '' };

const ACTION_CHOICES = [
  { value: '', text: messages.allActions },
  ...Object.entries(messages.actions).map(([value, text]) => ({ value, text })),
];
const SUBJECT_CHOICES = [
  { value: '', text: messages.allSubjects },
  ...Object.entries(messages.subjects).map(([value, text]) => ({ value, text })),
];

/** The audit log of a workspace, newest change first. */
export function AuditLog(): JSX.Element {
  const workspace = useWorkspace();
  const [query, change] = useQueryState();
  const { actor = '', action = '', subject = '', dateFrom = '', dateTo = '', page } = query;
  const filters = { workspace_id: workspace.id, actor, action, subject, dateFrom, dateTo };
  const entries = useApi<ListReply<AuditEntry>>(AUDIT_LOG_PATH, { ...filters, page, pageSize: PAGE_SIZE });
  useLastPage(entries);
  const count = [actor, action, subject, dateFrom, dateTo].filter((value) => value !== '').length;
  const isFiltered = count > 0;
  const clear = <Button onClick={() => change(NO_FILTERS)}>{common.clearFilters}</Button>;
  return (
    <Page
      title={common.auditLog}
      error={entries.error}
      actions={<CsvLink path={`${AUDIT_LOG_PATH}.csv`} query={filters} />}
    >
      <div class="stack">
        <Filters count={count}>
          <ActorFilter workspace={workspace} />
          <Select
            label={messages.action}
            value={action}
            choices={withUrlValue(ACTION_CHOICES, action, actionText)}
            onChange={(value) => change({ action: value })}
          />
          <Select
            label={messages.subject}
            value={subject}
            choices={withUrlValue(SUBJECT_CHOICES, subject, subjectText)}
            onChange={(value) => change({ subject: value })}
          />
          <DateRange />
        </Filters>
        <Table
          label={messages.changes}
          columns={columnsOf(workspace, (value) => change({ subject: value }))}
          rows={entries.data?.data}
          isStale={entries.isPlaceholderData}
          error={entries.error}
          onRetry={() => void entries.refetch()}
          pagination={entries.data?.meta.pagination}
          empty={
            isFiltered ? <Empty action={clear}>{messages.noneMatches}</Empty> : <Empty>{messages.none}</Empty>
          }
        />
      </div>
    </Page>
  );
}

/** A filter by member. If the URL contains a former member, the choices include this member too. */
function ActorFilter({ workspace }: { workspace: WorkspaceView }): JSX.Element {
  const [{ actor = '' }, change] = useQueryState();
  const members = useApi<ListReply<Member>>(MEMBERS_PATH, { workspace_id: workspace.id, pageSize: 100 });
  const actorChoices = [
    { value: '', text: messages.allActors },
    ...(members.data?.data ?? []).map(({ email }) => ({ value: email, text: email })),
  ];
  return (
    <Select
      label={messages.actor}
      isWide
      value={actor}
      choices={withUrlValue(actorChoices, actor, (value) => value)}
      onChange={(value) => change({ actor: value })}
    />
  );
}

interface FilterChoice {
  readonly value: string;
  readonly text: string;
}

/** Returns the choices of a filter. Adds the value in the URL if it is not one of them. */
function withUrlValue(
  choices: readonly FilterChoice[],
  value: string,
  textOf: (value: string) => string,
): readonly FilterChoice[] {
  return choices.some((choice) => choice.value === value)
    ? choices
    : [...choices, { value, text: textOf(value) }];
}

function columnsOf(
  { programs }: WorkspaceView,
  showSubject: (subject: string) => void,
): readonly Column<AuditEntry>[] {
  const programOf = (id: number | null) => programs.find((program) => program.id === id);
  return [
    {
      title: messages.change,
      cell: (entry) => {
        const subject = auditSubjectOf(entry);
        const { kind, id } = entry.subject;
        const isNamed = id !== null && isNamedKind(kind);
        const name = isNamed ? (
          <SubjectName programId={entry.program_id} kind={kind} id={id} />
        ) : (
          subjectNameOf(entry)
        );
        const link = (
          <button type="button" class="text-button" onClick={() => showSubject(subject)}>
            {subjectText(isNamed ? kind : subject)}
          </button>
        );
        return (
          <>
            <strong>{actionText(entry.action)}</strong>
            <span class="sub">{name === null ? link : messages.named(link, name)}</span>
          </>
        );
      },
    },
    {
      title: messages.changedFields,
      size: 'wide',
      cell: (entry) => (
        <Changes
          changes={changesOf(entry, programOf(entry.program_id)?.currency ?? 'USD')}
          programId={entry.program_id}
        />
      ),
    },
    {
      title: messages.actor,
      size: 'medium',
      cell: ({ actor, program_id }) => (
        <>
          {actorText(actor)}
          {programs.length > 1 && <span class="sub">{programOf(program_id)?.name}</span>}
        </>
      ),
    },
    {
      title: messages.time,
      cell: ({ created_at, request_id }) => (
        <span title={request_id === null ? undefined : messages.request(request_id)}>
          <Time at={created_at} />
        </span>
      ),
    },
  ];
}
