import { strictQuery } from '../strict-fields.ts';
import { unreadFields } from './accounts.ts';
import { commissionsQuery, payoutsQuery } from './management.ts';
import { boundsInOrder, idFilter, pageFields, rangeFields } from './query-fields.ts';

const partnerFields = {
  partner_id: idFilter('partner_id').describe("Id of one of the user's partners. Defaults to all of them."),
};
const programFields = { program_id: idFilter('program_id').describe('Id of a program. Defaults to all.') };

/** Query of `GET /api/partner/me`. */
export const portalPartnersQuery = strictQuery(partnerFields);

/** Query of the payout details of the signed-in partner. */
export const portalPayoutDetailsQuery = strictQuery({
  partner_id: idFilter('partner_id').describe(
    "Id of one of the user's partners. Required if the user has several.",
  ),
});

/** Query of a list of the signed-in partner. */
export const portalPageQuery = strictQuery({ ...pageFields, ...partnerFields });

/** Query of the notifications of the signed-in partner. */
export const portalNotificationsQuery = strictQuery({ ...pageFields, ...partnerFields, ...unreadFields });

/** Query of the commissions of the signed-in partner. */
export const portalCommissionsQuery = strictQuery({
  ...pageFields,
  ...partnerFields,
  ...programFields,
  status: commissionsQuery.shape.status,
  ...rangeFields,
}).check(boundsInOrder);

/** Query of the payouts of the signed-in partner. */
export const portalPayoutsQuery = strictQuery({
  ...pageFields,
  ...partnerFields,
  ...programFields,
  status: payoutsQuery.shape.status,
});
