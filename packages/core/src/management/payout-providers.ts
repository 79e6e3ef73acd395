import type { Runtime } from '../runtime.ts';

/** Returns the providers that may send payouts of the workspace, by name. */
export function payoutProvidersOf(
  { payoutProviders, payoutWorkspaces }: Runtime,
  workspaceId: number,
): Runtime['payoutProviders'] {
  const isAllowed = payoutWorkspaces === 'all' || payoutWorkspaces.includes(workspaceId);
  return isAllowed ? payoutProviders : new Map();
}
