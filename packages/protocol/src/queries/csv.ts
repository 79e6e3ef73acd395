import { auditLogQuery } from './accounts.ts';
import { commissionsQuery, linksQuery, partnersQuery, payoutsQuery } from './management.ts';
import { portalCommissionsQuery, portalPayoutsQuery } from './partner-portal.ts';
import { boundsInOrder, withoutPage } from './query-fields.ts';
import { eventsQuery } from './reads.ts';

export const partnersCsvQuery = withoutPage(partnersQuery);

export const linksCsvQuery = withoutPage(linksQuery);

export const commissionsCsvQuery = withoutPage(commissionsQuery).check(boundsInOrder);

export const payoutsCsvQuery = withoutPage(payoutsQuery).check(boundsInOrder);

export const eventsCsvQuery = withoutPage(eventsQuery).check(boundsInOrder);

export const auditLogCsvQuery = withoutPage(auditLogQuery).check(boundsInOrder);

export const portalCommissionsCsvQuery = withoutPage(portalCommissionsQuery).check(boundsInOrder);

export const portalPayoutsCsvQuery = withoutPage(portalPayoutsQuery);
