import type { Recorders } from '../tracking/recorders.ts';
import { documentRoutes } from './documents.ts';
import { integrationRoutes } from './integration.ts';
import { managementRoutes } from './management-routes.ts';
import type { OtherRoute } from './openapi/description.ts';
import { processorWebhookRoutes } from './processor-webhooks.ts';
import { reportingRoutes } from './reporting.ts';
import type { Route } from './route.ts';
import { testChainRoutes } from './test-chain.ts';
import { trackingRoutes } from './tracking.ts';

/**
 * Every route, with the two that describe them all.
 * @param others what the embedding app serves beside them, to be described too
 */
export function routeTable(recorders: Recorders, others: readonly OtherRoute[] = []): Route[] {
  const routes = [
    ...trackingRoutes(recorders),
    ...processorWebhookRoutes(),
    ...integrationRoutes,
    ...testChainRoutes(recorders),
    ...reportingRoutes,
    ...managementRoutes,
  ];
  return [...routes, ...documentRoutes(routes, others)];
}
