import { Rejection } from '../rejection.ts';
import type { Actor } from './actor.ts';
import { isAllowed, type Permission, roleIn } from './permission.ts';

/**
 * Chooses the workspace that a write acts on: the requested workspace, or else the actor's only workspace.
 *
 * @param requestedId the request's `workspace_id`
 * @returns `workspace_required` when the actor has several workspaces and `requestedId` is undefined;
 * `workspace_not_found` when the requested workspace is not one of the actor's; `forbidden` when the actor lacks
 * `permission` in the chosen workspace, or has no workspace
 */
export function chooseWorkspace(
  actor: Actor,
  permission: Permission,
  requestedId: number | undefined,
): number | Rejection {
  const workspaceIds = workspacesOf(actor);
  if (requestedId === undefined && workspaceIds.length > 1) return new Rejection('workspace_required');
  const workspaceId = requestedId ?? workspaceIds[0];
  if (workspaceId === undefined) return new Rejection('forbidden');
  return checkChosenWorkspace(actor, workspaceId, permission) ?? workspaceId;
}

/**
 * Chooses the workspaces that a list covers: the requested workspace, or else every workspace in which the
 * actor has the permission.
 */
export function chooseWorkspaces(
  actor: Actor,
  permission: Permission,
  requestedId: number | undefined,
): readonly number[] | Rejection {
  if (requestedId !== undefined) {
    return checkChosenWorkspace(actor, requestedId, permission) ?? [requestedId];
  }
  const workspaceIds = workspacesOf(actor);
  const allowed = workspaceIds.filter((id) => isAllowed(actor, id, permission));
  // A user without any workspace gets an empty list. A user who lacks the permission in all of their
  // workspaces is rejected.
  return workspaceIds.length > 0 && allowed.length === 0 ? new Rejection('forbidden') : allowed;
}

function checkChosenWorkspace(actor: Actor, workspaceId: number, permission: Permission): Rejection | null {
  if (roleIn(actor, workspaceId) === null) return new Rejection('workspace_not_found');
  return isAllowed(actor, workspaceId, permission) ? null : new Rejection('forbidden');
}

function workspacesOf(actor: Actor): readonly number[] {
  return actor.kind === 'key'
    ? [actor.workspaceId]
    : actor.memberships.map((membership) => membership.workspaceId);
}
