import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import * as common from '#messages/common.ts';
import * as messages from '#messages/policies.ts';
import type { Policy } from '../../api/types.ts';
import { useChange } from '../../api/use-api.ts';
import { type ProgramView, useProgram } from '../../session/session.tsx';
import { Button, Select } from '../../ui/controls.tsx';
import { FormDialog } from '../../ui/dialog.tsx';
import { Filters } from '../../ui/filters.tsx';
import { Link } from '../../ui/link.tsx';
import { ActionMenu } from '../../ui/menu.tsx';
import { Page } from '../../ui/page.tsx';
import { usePageOverlay } from '../../ui/page-overlay.tsx';
import { SearchField } from '../../ui/search-field.tsx';
import { Empty } from '../../ui/state.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { useFilters } from '../../ui/use-filters.ts';
import { useList } from '../../ui/use-list.ts';
import { useQueryState } from '../../ui/use-query-state.ts';
import { policyColumns } from './policy-columns.tsx';
import { PolicyDialog } from './policy-dialog.tsx';
import { termsOf } from './policy-texts.ts';
import { Simulator, simulatorKey } from './simulator.tsx';

const POLICY_FILTERS = ['q', 'type'];

const TYPE_CHOICES = [
  { value: '', text: messages.allTypes },
  ...Object.entries(messages.types).map(([value, text]) => ({ value, text })),
];

/** The commission policies of a program, and a simulator for the commission of a sale. */
export function Policies(): JSX.Element {
  const view = useProgram();
  const [query, change] = useQueryState();
  const { filters, isFiltered, count, clear } = useFilters(POLICY_FILTERS);
  const policies = useList<Policy>(`${view.api}/commission-policies`, filters);
  const [edited, setEdited] = useState<Policy | 'new' | null>(null);
  return (
    <Page
      title={messages.title}
      error={policies.error}
      intro={messages.intro}
      actions={
        view.may('policy:create') && (
          <Button kind="primary" onClick={() => setEdited('new')}>
            {messages.add}
          </Button>
        )
      }
    >
      <div class="stack wide">
        <Filters
          search={<SearchField label={messages.search} placeholder={messages.searchExample} />}
          count={count}
        >
          <Select
            label={messages.type}
            value={query['type'] ?? ''}
            choices={TYPE_CHOICES}
            onChange={(value) => change({ type: value })}
          />
        </Filters>
        <Table
          label={messages.title}
          columns={columnsOf(view, setEdited)}
          {...policies}
          pagination={(policies.pagination?.pageCount ?? 0) > 1 ? policies.pagination : undefined}
          empty={
            isFiltered ? (
              <Empty action={<Button onClick={clear}>{common.clearFilters}</Button>}>
                {messages.noMatch}
              </Empty>
            ) : (
              messages.none
            )
          }
        />
        {/* Shown only after the rows have loaded, because the rows would push it down. */}
        {(policies.rows || policies.error) && <Simulator key={simulatorKey(query)} />}
      </div>
      {edited && <PolicyDialog policy={edited === 'new' ? null : edited} onClose={() => setEdited(null)} />}
    </Page>
  );
}

function columnsOf(view: ProgramView, edit: (policy: Policy) => void): readonly Column<Policy>[] {
  return [
    ...policyColumns(
      view.program.currency,
      (id, name) => <Link to={`${view.page}/partners/${id}`}>{name}</Link>,
      true,
    ),
    { title: messages.number, align: 'end', cell: ({ id }) => id },
    { title: messages.version, align: 'end', cell: ({ version }) => version },
    ...(view.may('policy:update')
      ? [
          {
            title: '',
            cell: (policy: Policy) => <PolicyActions policy={policy} onEdit={() => edit(policy)} />,
          },
        ]
      : []),
  ];
}

function PolicyActions({ policy, onEdit }: { policy: Policy; onEdit: () => void }): JSX.Element {
  const { api, program, may } = useProgram();
  const { mutateAsync } = useChange(`${api}/commission-policies`);
  const { open } = usePageOverlay();
  const remove = () =>
    open((onClose) => (
      <FormDialog
        title={messages.removeTitle}
        submit={messages.remove}
        danger
        onSubmit={() => mutateAsync({ method: 'DELETE', path: `${api}/commission-policies/${policy.id}` })}
        onClose={onClose}
      >
        <p>{messages.removeWarning(termsOf(policy, program.currency))}</p>
      </FormDialog>
    ));
  const actions = [
    { text: messages.edit, run: onEdit },
    ...(policy.is_default || !may('policy:delete')
      ? []
      : [{ text: messages.removeWithDialog, danger: true, run: remove }]),
  ];
  return <ActionMenu label={messages.actionsFor(policy.id)} actions={actions} />;
}
