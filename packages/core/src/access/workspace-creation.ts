import { Rejection } from '../rejection.ts';
import type { Runtime } from '../runtime.ts';
import type { SessionActor } from './actor.ts';

/** Checks whether the user may create a workspace. @returns null when the user may */
export function authorizeWorkspaceCreation(
  { workspaceCreation }: Pick<Runtime, 'workspaceCreation'>,
  { memberships }: SessionActor,
): Rejection | null {
  const isAllowed = workspaceCreation === 'anyone' || memberships.some(({ role }) => role === 'owner');
  return isAllowed ? null : new Rejection('owner_required');
}
