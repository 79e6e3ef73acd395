import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { ListReply, Policy } from '../../api/types.ts';
import { useApi, useChange } from '../../api/use-api.ts';
import { type ProgramView, useProgram } from '../../session/session.tsx';
import { Button } from '../../ui/controls.tsx';
import { FormDialog } from '../../ui/dialog.tsx';
import { Link } from '../../ui/link.tsx';
import { ActionMenu } from '../../ui/menu.tsx';
import { Page } from '../../ui/page.tsx';
import { Badge } from '../../ui/state.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { useQueryState } from '../../ui/use-query-state.ts';
import { PolicyDialog } from './policy-dialog.tsx';
import { describeRenewals, termsOf } from './policy-texts.ts';
import { Simulator } from './simulator.tsx';

const PAGE_SIZE = 25;

/** The commission policies of a program, and what a sale would earn by them. */
export function Policies(): JSX.Element {
  const view = useProgram();
  const [{ page }] = useQueryState();
  const policies = useApi<ListReply<Policy>>(`${view.api}/commission-policies`, {
    page,
    pageSize: PAGE_SIZE,
  });
  const [edited, setEdited] = useState<Policy | 'new' | null>(null);
  const rows = policies.data?.data;
  const pagination = policies.data?.meta.pagination;
  return (
    <Page
      title="Commission policies"
      intro="The most specific policy applies: product and partner, then product, then partner, then the default."
      actions={
        view.may('policy:create') && (
          <Button kind="primary" onClick={() => setEdited('new')}>
            Add a policy
          </Button>
        )
      }
    >
      <div class="stack wide">
        <Table
          label="Commission policies"
          columns={columnsOf(view, setEdited)}
          rows={rows}
          error={policies.error}
          onRetry={() => void policies.refetch()}
          pagination={(pagination?.pageCount ?? 0) > 1 ? pagination : undefined}
          empty="This program has no policy, so that no sale earns a commission. Add one."
        />
        <Simulator />
      </div>
      {edited && <PolicyDialog policy={edited === 'new' ? null : edited} onClose={() => setEdited(null)} />}
    </Page>
  );
}

function columnsOf(view: ProgramView, edit: (policy: Policy) => void): readonly Column<Policy>[] {
  return [
    {
      title: 'Commission',
      cell: (policy) => (
        <span class="row">
          <strong>{termsOf(policy, view.program.currency)}</strong>
          {policy.is_default && <Badge>Default</Badge>}
        </span>
      ),
    },
    { title: 'Product', cell: ({ product_id }) => product_id ?? <span class="quiet">All products</span> },
    {
      title: 'Partner',
      cell: ({ partner_id, partner_name }) =>
        partner_id === null ? (
          <span class="quiet">All partners</span>
        ) : (
          <Link to={`${view.page}/partners/${partner_id}`}>{partner_name ?? `Partner ${partner_id}`}</Link>
        ),
    },
    { title: 'Subscriptions', cell: ({ recurring_months }) => describeRenewals(recurring_months) },
    { title: 'Version', align: 'end', cell: ({ version }) => version },
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
  const [isDeleting, setDeleting] = useState(false);
  const actions = [
    { text: 'Change…', run: onEdit },
    ...(policy.is_default || !may('policy:delete')
      ? []
      : [{ text: 'Delete…', danger: true, run: () => setDeleting(true) }]),
  ];
  return (
    <>
      <ActionMenu label={`Actions for policy ${policy.id}`} actions={actions} />
      {isDeleting && (
        <FormDialog
          title="Delete this policy?"
          submit="Delete"
          danger
          onSubmit={() => mutateAsync({ method: 'DELETE', path: `${api}/commission-policies/${policy.id}` })}
          onClose={() => setDeleting(false)}
        >
          <p>
            Sales from now on earn by the next policy that matches, instead of{' '}
            {termsOf(policy, program.currency)}. Commissions that were earned already stay as they are.
          </p>
        </FormDialog>
      )}
    </>
  );
}
