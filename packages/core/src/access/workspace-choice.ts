import { Rejection } from '../rejection.ts';
import type { Actor } from './actor.ts';
import { isAllowed, type Permission } from './permission.ts';

/**
 * The workspace that a write acts on: the named one, else the actor's only one.
 * @param named the call's `workspace_id`
 */
export function chooseWorkspace(
  actor: Actor,
  permission: Permission,
  named: number | undefined,
): number | Rejection {
  const workspaceIds = workspacesOf(actor);
  if (named === undefined && workspaceIds.length > 1) return new Rejection('workspace_required');
  const workspaceId = named ?? workspaceIds[0];
  if (workspaceId === undefined || !isAllowed(actor, workspaceId, permission))
    return new Rejection('forbidden');
  return workspaceId;
}

/** The workspaces that a list covers: the named one, else all in which the actor may see it. */
export function chooseWorkspaces(
  actor: Actor,
  permission: Permission,
  named: number | undefined,
): readonly number[] | Rejection {
  if (named !== undefined) {
    return isAllowed(actor, named, permission) ? [named] : new Rejection('forbidden');
  }
  const workspaceIds = workspacesOf(actor);
  const allowed = workspaceIds.filter((id) => isAllowed(actor, id, permission));
  // Someone who is in no workspace has an empty list; someone who may see none of his may not ask.
  return workspaceIds.length > 0 && allowed.length === 0 ? new Rejection('forbidden') : allowed;
}

function workspacesOf(actor: Actor): readonly number[] {
  return actor.kind === 'key'
    ? [actor.workspaceId]
    : actor.memberships.map((membership) => membership.workspaceId);
}
