import type { JSX } from 'preact';
import * as messages from '#messages/partner.tsx';
import type { ListReply, Policy } from '../../api/types.ts';
import { useApi } from '../../api/use-api.ts';
import { useProgram } from '../../session/session.tsx';
import { Link } from '../../ui/link.tsx';
import { Table } from '../../ui/table.tsx';
import { policyColumns } from '../policies/policy-columns.tsx';

const MAX_POLICIES = 100;

/** The policies that determine what the partner earns, most specific first. */
export function PartnerPolicies({ partnerId }: { partnerId: string }): JSX.Element | null {
  const view = useProgram();
  const isAllowed = view.may('policy:list');
  const reply = useApi<ListReply<Policy>>(
    `${view.api}/commission-policies`,
    { partner_id: partnerId, pageSize: MAX_POLICIES },
    { enabled: isAllowed },
  );
  if (!isAllowed) return null;
  const rows = reply.data?.data.toSorted((a, b) => specificity(b) - specificity(a));
  const isCut = (reply.data?.meta.pagination.total ?? 0) > MAX_POLICIES;
  return (
    <section aria-labelledby="policies">
      <div class="row apart section-title">
        <h2 id="policies">{messages.policies}</h2>
        <Link to={`${view.page}/policies?partner_id=${partnerId}#simulator`}>{messages.simulate}</Link>
      </div>
      <Table
        label={messages.policies}
        columns={policyColumns(view.program.currency, () => messages.thisPartner)}
        rows={rows}
        loadingRows={1}
        error={reply.error}
        onRetry={() => void reply.refetch()}
        empty={messages.noPolicy}
      />
      {isCut && (
        <p class="quiet small">
          {messages.morePolicies(MAX_POLICIES, (text) => (
            <Link to={`${view.page}/policies`}>{text}</Link>
          ))}
        </p>
      )}
    </section>
  );
}

/** Returns how specific a policy is. A policy for a product is more specific than a policy for a partner. */
function specificity({ product_id, partner_id }: Policy): number {
  return (product_id === null ? 0 : 2) + (partner_id === null ? 0 : 1);
}
