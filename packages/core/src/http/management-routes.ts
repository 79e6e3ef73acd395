import { strictFields, strictQuery } from '@affkit/protocol';
import { apiKeyRoutes } from './api-keys.ts';
import { auditLogRoutes } from './audit-log.ts';
import { authRoutes } from './auth.ts';
import { bulkRoutes } from './bulk.ts';
import { commissionRoutes } from './commissions.ts';
import { customerRoutes } from './customers.ts';
import { emailRoutes } from './emails.ts';
import { linkRoutes } from './links.ts';
import { marketplaceRoutes } from './marketplace.ts';
import { memberRoutes } from './members.ts';
import { notificationRoutes } from './notifications.ts';
import { partnerImportRoutes } from './partner-import.ts';
import { partnerPortalRoutes } from './partner-portal.ts';
import { partnerRoutes } from './partners.ts';
import { payoutBatchRoutes } from './payout-batches.ts';
import { payoutDetailsRoutes } from './payout-details.ts';
import { payoutRunRoutes } from './payout-runs.ts';
import { payoutSettingsRoutes } from './payout-settings.ts';
import { payoutRoutes } from './payouts.ts';
import { policyRoutes } from './policies.ts';
import { policySimulationRoutes } from './policy-simulation.ts';
import { portalCommissionRoutes } from './portal-commissions.ts';
import { portalExportRoutes } from './portal-export.ts';
import { portalFigureRoutes } from './portal-figures.ts';
import { portalLinkRoutes } from './portal-links.ts';
import { portalNotificationRoutes } from './portal-notifications.ts';
import { portalPayoutRoutes } from './portal-payouts.ts';
import { processorConnectionRoutes } from './processor-connections.ts';
import { programPageRoutes } from './program-page.ts';
import { programRoutes } from './programs.ts';
import type { Route } from './route.ts';
import { seriesRoutes } from './series.ts';
import { sessionRoutes } from './sessions.ts';
import { summaryRoutes } from './summary.ts';
import { webhookEndpointRoutes } from './webhook-endpoints.ts';
import { workspaceRoutes } from './workspaces.ts';

const NO_INPUT = { query: strictQuery({}), body: strictFields({}) };

/**
 * The routes of sign-in, the marketplace, applications, program management, and the partner portal. All of
 * them reject unknown query parameters and body fields, even a route without parameters or fields.
 */
export const managementRoutes: readonly Route[] = [
  ...marketplaceRoutes,
  ...authRoutes,
  ...sessionRoutes,
  ...workspaceRoutes,
  ...memberRoutes,
  ...programRoutes,
  ...programPageRoutes,
  ...partnerRoutes,
  ...partnerImportRoutes,
  ...linkRoutes,
  ...customerRoutes,
  ...policyRoutes,
  ...policySimulationRoutes,
  ...commissionRoutes,
  ...payoutRoutes,
  ...payoutDetailsRoutes,
  ...payoutBatchRoutes,
  ...payoutSettingsRoutes,
  ...payoutRunRoutes,
  ...bulkRoutes,
  ...apiKeyRoutes,
  ...processorConnectionRoutes,
  ...webhookEndpointRoutes,
  ...summaryRoutes,
  ...seriesRoutes,
  ...notificationRoutes,
  ...emailRoutes,
  ...auditLogRoutes,
  ...partnerPortalRoutes,
  ...portalCommissionRoutes,
  ...portalPayoutRoutes,
  ...portalFigureRoutes,
  ...portalLinkRoutes,
  ...portalNotificationRoutes,
  ...portalExportRoutes,
].map((each) => ({ ...(each.method === 'GET' ? { query: NO_INPUT.query } : NO_INPUT), ...each }));
