import type { ClickRecorder } from '../tracking/click-recorder.ts';
import { integrationRoutes } from './integration.ts';
import { managementRoutes } from './management-routes.ts';
import { reportingRoutes } from './reporting.ts';
import type { Route } from './route.ts';
import { trackingRoutes } from './tracking.ts';

/** Every route that Affkit answers. */
export function routeTable(recorder: ClickRecorder): readonly Route[] {
  return [...trackingRoutes(recorder), ...integrationRoutes, ...reportingRoutes, ...managementRoutes];
}
