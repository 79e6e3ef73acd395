import { commissionRow, linkRow, partnerRow, payoutRow, policyRow } from '../replies/management.ts';
import { strictQuery } from '../strict-fields.ts';
import {
  boundsInOrder,
  choiceFilter,
  idFilter,
  pageFields,
  rangeFields,
  searchFilter,
  sortFields,
} from './query-fields.ts';

const partnerFilter = idFilter('partner_id').describe('Id of a partner. Defaults to all.');

const AMOUNT_ORDER =
  '`amount_cents` groups the rows by currency, from A to Z. `order` sorts the amounts within each currency.';

export const partnersQuery = strictQuery({
  ...pageFields,
  q: searchFilter().describe(
    "Part of the partner's name, the partner's email address, or the code of a link, ignoring case.",
  ),
  status: choiceFilter('status', partnerRow.shape.status.options).describe(
    'Status of the enrollments. Defaults to all.',
  ),
  ...sortFields(['created_at', 'name', 'email', 'clicks', 'leads', 'conversions', 'balance_cents'], {
    note: "`balance_cents` sorts by the balance in the program's currency. Without such a balance, a partner sorts as 0.",
  }),
});

export const linksQuery = strictQuery({
  ...pageFields,
  q: searchFilter().describe('Part of the code, or of the name of the partner, ignoring case.'),
  status: choiceFilter('status', linkRow.shape.status.options).describe(
    'Status of the links. Defaults to all.',
  ),
  ...sortFields(['created_at', 'short_link', 'clicks', 'last_clicked']),
});

const statusFilter = choiceFilter('status', commissionRow.shape.status.options).describe(
  'Status of the commissions. Defaults to all.',
);

const commissionFilters = {
  q: searchFilter().describe(
    'Start of a transaction id, ignoring the case of the letters a to z. The search covers only the first 1,000 matching transaction ids.',
  ),
  status: statusFilter,
  partner_id: partnerFilter,
  payout_id: idFilter('payout_id').describe(
    'Id of the payout that contains the commissions. Defaults to all.',
  ),
  needs_approval: choiceFilter('needs_approval', ['1']).describe(
    '`1` lists only commissions that wait for an approval. For them, the end of the hold has no effect.',
  ),
  ...rangeFields,
};

export const commissionsQuery = strictQuery({
  ...pageFields,
  ...commissionFilters,
  ...sortFields(['commission_date', 'amount_cents'], { note: AMOUNT_ORDER }),
}).check(boundsInOrder);

export const commissionTotalsQuery = strictQuery(commissionFilters).check(boundsInOrder);

const payoutStatusFilter = choiceFilter('status', payoutRow.shape.status.options).describe(
  'Status of the payouts. Defaults to all.',
);

export const payoutsQuery = strictQuery({
  ...pageFields,
  q: searchFilter().describe(
    "Part of the partner's name, the partner's email address, or the payout's reference, ignoring case.",
  ),
  status: payoutStatusFilter,
  partner_id: partnerFilter,
  ...rangeFields,
  ...sortFields(['created_at', 'paid_at', 'amount_cents', 'partner_name'], { note: AMOUNT_ORDER }),
}).check(boundsInOrder);

export const policiesQuery = strictQuery({
  ...pageFields,
  q: searchFilter().describe('Part of the product id, or of the name of the partner, ignoring case.'),
  type: choiceFilter('type', policyRow.shape.type.options).describe(
    'Type of the commissions. Defaults to all.',
  ),
  partner_id: idFilter('partner_id').describe(
    'Lists only policies that apply to this partner: policies for this partner, and policies for all partners.',
  ),
  ...sortFields(['created_at', 'product_id', 'partner_name'], { defaultOrder: 'asc' }),
});
