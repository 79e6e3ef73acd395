import { usesCitus } from '../support/citus-server.ts';
import type { ApiVersion } from '../support/stripe-shape.ts';
import { byDepth } from '../support/test-depth.ts';

const ALL: readonly ApiVersion[] = ['acacia', 'current'];

/**
 * Returns the versions of the Stripe API to test on an engine. To save time, `npm test` tests each version on
 * one engine: the current version on Postgres, and the older version on SQLite.
 */
export function apiVersionsFor(kind: string): readonly ApiVersion[] {
  // A run on Citus has only one engine.
  if (usesCitus) return ALL;
  return byDepth({ short: kind.startsWith('Postgres') ? ['current'] : ['acacia'], long: ALL });
}
