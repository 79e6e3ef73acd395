import type { JSX } from 'preact';
import type { ListReply, Policy } from '../../api/types.ts';
import { useApi } from '../../api/use-api.ts';
import { type ProgramView, useProgram } from '../../session/session.tsx';
import { Link } from '../../ui/link.tsx';
import { Badge } from '../../ui/state.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { describeRenewals, termsOf } from '../policies/policy-texts.ts';

const MAX_POLICIES = 100;

/** The policies that decide what the partner earns, the most specific first. */
export function PartnerPolicies({ partnerId }: { partnerId: string }): JSX.Element | null {
  const view = useProgram();
  const isAllowed = view.may('policy:list');
  const reply = useApi<ListReply<Policy>>(
    `${view.api}/commission-policies`,
    { pageSize: MAX_POLICIES },
    { enabled: isAllowed },
  );
  if (!isAllowed) return null;
  const rows = reply.data?.data
    .filter(({ partner_id }) => partner_id === null || String(partner_id) === partnerId)
    .sort((a, b) => specificity(b) - specificity(a));
  const isCut = (reply.data?.meta.pagination.total ?? 0) > MAX_POLICIES;
  return (
    <section aria-labelledby="policies">
      <div class="row apart section-title">
        <h2 id="policies">Policies that apply</h2>
        <Link to={`${view.page}/policies?partner_id=${partnerId}#simulator`}>
          Try a sale in the simulator
        </Link>
      </div>
      <Table
        label="Policies that apply"
        columns={columnsOf(view)}
        rows={rows}
        loadingRows={1}
        error={reply.error}
        onRetry={() => void reply.refetch()}
        empty="No policy applies, so that this partner earns no commission."
      />
      {isCut && (
        <p class="quiet small">
          The program has more than {MAX_POLICIES} policies. Those added later are on the{' '}
          <Link to={`${view.page}/policies`}>policies page</Link>.
        </p>
      )}
    </section>
  );
}

/** A product counts more than a partner. */
function specificity({ product_id, partner_id }: Policy): number {
  return (product_id === null ? 0 : 2) + (partner_id === null ? 0 : 1);
}

function columnsOf({ program }: ProgramView): readonly Column<Policy>[] {
  return [
    {
      title: 'Commission',
      cell: (policy) => (
        <span class="row">
          <strong>{termsOf(policy, program.currency)}</strong>
          {policy.is_default && <Badge>Default</Badge>}
        </span>
      ),
    },
    { title: 'Product', cell: ({ product_id }) => product_id ?? <span class="quiet">All products</span> },
    {
      title: 'Partner',
      cell: ({ partner_id }) =>
        partner_id === null ? <span class="quiet">All partners</span> : 'This partner',
    },
    { title: 'Subscriptions', cell: ({ recurring_months }) => describeRenewals(recurring_months) },
  ];
}
