import { Rejection } from '../rejection.ts';
import type { Runtime } from '../runtime.ts';
import type { SessionActor } from './actor.ts';

/** Who may create a workspace: users who own one already, or every signed-in user. */
export const WORKSPACE_CREATION = ['owner', 'anyone'] as const;

export type WorkspaceCreation = (typeof WORKSPACE_CREATION)[number];

/** @returns null when the user may create a workspace */
export function authorizeWorkspaceCreation(
  { workspaceCreation }: Pick<Runtime, 'workspaceCreation'>,
  { memberships }: SessionActor,
): Rejection | null {
  const isAllowed = workspaceCreation === 'anyone' || memberships.some(({ role }) => role === 'owner');
  return isAllowed ? null : new Rejection('owner_required');
}
