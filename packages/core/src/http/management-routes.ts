import type { Route } from './route.ts';

export const managementRoutes: readonly Route[] = [];
