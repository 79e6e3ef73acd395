import type { ComponentChildren } from 'preact';
import * as common from '#messages/common.ts';
import * as messages from '#messages/policies.ts';
import type { Policy } from '../../api/types.ts';
import { Badge } from '../../ui/state.tsx';
import type { Column } from '../../ui/table.tsx';
import { describeRenewals, termsOf } from './policy-texts.ts';

/**
 * Returns the columns of a list of policies.
 * @param showPartner renders the partner of a policy
 * @param isSortable whether users can sort the list; the order is stored in the URL
 */
export function policyColumns(
  currency: string,
  showPartner: (id: number, name: string) => ComponentChildren,
  isSortable = false,
): readonly Column<Policy>[] {
  return [
    {
      title: common.commission,
      cell: (policy) => (
        <span class="row">
          <strong>{termsOf(policy, currency)}</strong>
          {policy.is_default && <Badge>{messages.isDefault}</Badge>}
        </span>
      ),
    },
    {
      title: common.product,
      ...(isSortable && { sort: 'product_id', firstOrder: 'asc' as const }),
      cell: ({ product_id }) => product_id ?? <span class="quiet">{messages.allProducts}</span>,
    },
    {
      title: common.partner,
      ...(isSortable && { sort: 'partner_name', firstOrder: 'asc' as const }),
      cell: ({ partner_id, partner_name }) =>
        partner_id === null ? (
          <span class="quiet">{common.allPartners}</span>
        ) : (
          showPartner(partner_id, partner_name ?? common.partnerNumber(partner_id))
        ),
    },
    { title: messages.subscriptions, cell: ({ recurring_months }) => describeRenewals(recurring_months) },
  ];
}
