import { accountDescriptions } from './accounts.ts';
import type { Descriptions } from './description.ts';
import { partnerPortalDescriptions } from './partner-portal.ts';
import { commissionDescriptions, partnerDescriptions } from './partners.ts';
import { payoutDescriptions } from './payouts.ts';
import { processorDescriptions } from './processor.ts';
import { apiKeyDescriptions, programDescriptions } from './programs.ts';
import { readDescriptions } from './reads.ts';
import { serviceDescriptions } from './service.ts';
import { trackingDescriptions } from './tracking.ts';

/**
 * What is said of each route of the table. To describe a new one: add `'METHOD /path'` to the file of its resource,
 * with a reply schema of the protocol's `replies` folder (a row that several routes answer gets a name in `NAMED` of
 * `schemas.ts`), and a text in `field-texts.ts` for each new field of a request. A test names what is missing.
 */
export const DESCRIPTIONS: Descriptions = {
  ...trackingDescriptions,
  ...readDescriptions,
  ...accountDescriptions,
  ...programDescriptions,
  ...apiKeyDescriptions,
  ...partnerDescriptions,
  ...commissionDescriptions,
  ...payoutDescriptions,
  ...partnerPortalDescriptions,
  ...processorDescriptions,
  ...serviceDescriptions,
};
