import { auditLogQuery } from './accounts.ts';
import { commissionsQuery, linksQuery, partnersQuery, payoutsQuery } from './management.ts';
import { portalCommissionsQuery, portalPayoutsQuery } from './partner-portal.ts';
import { boundsInOrder, withoutPage } from './query-fields.ts';
import { eventsQuery } from './reads.ts';

/** Query of the CSV file of partners. */
export const partnersCsvQuery = withoutPage(partnersQuery);

/** Query of the CSV file of links. */
export const linksCsvQuery = withoutPage(linksQuery);

/** Query of the CSV file of commissions. */
export const commissionsCsvQuery = withoutPage(commissionsQuery).check(boundsInOrder);

/** Query of the CSV file of payouts. */
export const payoutsCsvQuery = withoutPage(payoutsQuery);

/** Query of the CSV file of events. */
export const eventsCsvQuery = withoutPage(eventsQuery).check(boundsInOrder);

/** Query of the CSV file of the audit log. */
export const auditLogCsvQuery = withoutPage(auditLogQuery).check(boundsInOrder);

/** Query of the CSV file of the signed-in partner's commissions. */
export const portalCommissionsCsvQuery = withoutPage(portalCommissionsQuery).check(boundsInOrder);

/** Query of the CSV file of the signed-in partner's payouts. */
export const portalPayoutsCsvQuery = withoutPage(portalPayoutsQuery);
