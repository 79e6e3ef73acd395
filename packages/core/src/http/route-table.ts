import type { Recorders } from '../tracking/recorders.ts';
import { applyPageRoutes } from './apply-page/apply-routes.ts';
import { breakdownRoutes } from './breakdown.ts';
import { documentRoutes } from './documents.ts';
import { emailPageRoutes } from './email-pages.ts';
import { integrationRoutes } from './integration.ts';
import { managementRoutes } from './management-routes.ts';
import type { OtherRoute } from './openapi/description.ts';
import { payoutWebhookRoutes } from './payout-webhooks.ts';
import { processorWebhookRoutes } from './processor-webhooks.ts';
import { programSetupRoutes } from './program-setup.ts';
import { refusalRoutes } from './refusals.ts';
import { reportingRoutes } from './reporting.ts';
import type { Route } from './route.ts';
import { testChainRoutes } from './test-chain.ts';
import { trackingRoutes } from './tracking.ts';

/**
 * Every route, including the OpenAPI document and its page.
 * @param otherRoutes routes of the embedding app; they are documented but not handled
 * @param options.hasProgramPages whether `/p/:slug` is one of the routes
 */
export function routeTable(
  recorders: Recorders,
  otherRoutes: readonly OtherRoute[] = [],
  { hasProgramPages }: { readonly hasProgramPages: boolean } = { hasProgramPages: true },
): Route[] {
  const routes = [
    ...trackingRoutes(recorders),
    ...processorWebhookRoutes(),
    ...payoutWebhookRoutes,
    ...integrationRoutes,
    ...testChainRoutes(recorders),
    ...reportingRoutes,
    ...breakdownRoutes,
    ...refusalRoutes(recorders),
    ...programSetupRoutes(recorders),
    ...managementRoutes,
    ...emailPageRoutes,
    ...(hasProgramPages ? applyPageRoutes : []),
  ];
  return [...routes, ...documentRoutes(routes, otherRoutes)];
}
