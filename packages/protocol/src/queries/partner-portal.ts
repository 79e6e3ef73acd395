import { strictQuery } from '../strict-fields.ts';
import { unreadFields } from './accounts.ts';
import { commissionsQuery, payoutsQuery } from './management.ts';
import { boundsInOrder, idFilter, pageFields, rangeFields, searchFilter } from './query-fields.ts';

const partnerFields = {
  partner_id: idFilter('partner_id').describe("Id of one of the user's partners. Defaults to all of them."),
};
const programFields = { program_id: idFilter('program_id').describe('Id of a program. Defaults to all.') };

/** Query of `GET /api/partner/me`. */
export const portalPartnersQuery = strictQuery(partnerFields);

export const portalPayoutDetailsQuery = strictQuery({
  partner_id: idFilter('partner_id').describe(
    "Id of one of the user's partners. Required if the user has several.",
  ),
});

export const portalPageQuery = strictQuery({ ...pageFields, ...partnerFields });

export const portalNotificationsQuery = strictQuery({ ...pageFields, ...partnerFields, ...unreadFields });

const commissionFilters = {
  ...partnerFields,
  ...programFields,
  q: searchFilter().describe(
    'Id of a commission, such as `17` or `#17`, or the whole transaction id of its sale.',
  ),
  status: commissionsQuery.shape.status,
  payout_id: idFilter('payout_id').describe(
    'Id of the payout that contains the commissions. Defaults to all.',
  ),
  ...rangeFields,
};

export const portalCommissionsQuery = strictQuery({ ...pageFields, ...commissionFilters }).check(
  boundsInOrder,
);

export const portalCommissionTotalsQuery = strictQuery(commissionFilters).check(boundsInOrder);

export const portalPayoutsQuery = strictQuery({
  ...pageFields,
  ...partnerFields,
  ...programFields,
  status: payoutsQuery.shape.status,
});
