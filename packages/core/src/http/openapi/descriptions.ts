import { accountDescriptions } from './accounts.ts';
import { bulkDescriptions } from './bulk.ts';
import { customerDescriptions } from './customers.ts';
import type { Descriptions } from './description.ts';
import { emailDescriptions } from './emails.ts';
import { exportDescriptions } from './exports.ts';
import { partnerImportDescriptions } from './partner-import.ts';
import { partnerPortalDescriptions } from './partner-portal.ts';
import { commissionDescriptions, partnerDescriptions } from './partners.ts';
import { payoutBatchDescriptions } from './payout-batches.ts';
import { payoutDetailsDescriptions } from './payout-details.ts';
import { payoutRunDescriptions } from './payout-runs.ts';
import { payoutDescriptions } from './payouts.ts';
import { policySimulationDescriptions } from './policy-simulation.ts';
import { portalFigureDescriptions } from './portal-figures.ts';
import { processorDescriptions } from './processor.ts';
import { programCheckDescriptions } from './program-checks.ts';
import { programPageDescriptions } from './program-page.ts';
import { apiKeyDescriptions, programDescriptions } from './programs.ts';
import { readDescriptions } from './reads.ts';
import { seriesDescriptions } from './series.ts';
import { serviceDescriptions } from './service.ts';
import { signInDescriptions } from './sign-in.ts';
import { trackingDescriptions } from './tracking.ts';
import { webhookEndpointDescriptions } from './webhook-endpoints.ts';

/**
 * The documentation of every route. To document a new route, add `'METHOD /path'` to the file of its
 * resource, and use reply schemas of the protocol. Request fields and query parameters are described in their
 * schemas. If several routes return the same row schema, give the schema a name in `NAMED` of `schemas.ts`.
 * Tests report missing entries.
 */
export const DESCRIPTIONS: Descriptions = {
  ...trackingDescriptions,
  ...readDescriptions,
  ...programCheckDescriptions,
  ...signInDescriptions,
  ...seriesDescriptions,
  ...accountDescriptions,
  ...programDescriptions,
  ...emailDescriptions,
  ...programPageDescriptions,
  ...apiKeyDescriptions,
  ...partnerDescriptions,
  ...customerDescriptions,
  ...partnerImportDescriptions,
  ...commissionDescriptions,
  ...policySimulationDescriptions,
  ...payoutDescriptions,
  ...payoutDetailsDescriptions,
  ...payoutBatchDescriptions,
  ...payoutRunDescriptions,
  ...bulkDescriptions,
  ...exportDescriptions,
  ...partnerPortalDescriptions,
  ...portalFigureDescriptions,
  ...processorDescriptions,
  ...webhookEndpointDescriptions,
  ...serviceDescriptions,
};
