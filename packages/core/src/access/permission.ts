import { SCOPES, type Scope } from '@affkit/protocol';
import { Rejection } from '../rejection.ts';
import type { MemberRole } from '../storage/database/schema-accounts.ts';
import type { Actor } from './actor.ts';

/**
 * An action that a role may allow. Permissions that are scopes can also be granted to a management key. All other
 * permissions require a session.
 */
export type Permission = Scope | (typeof SESSION_PERMISSIONS)[number];

const SESSION_PERMISSIONS = [
  'tracking:read',
  'tracking:list',
  'performance:read',
  'api-key:read',
  'api-key:write',
  'notification:read',
  'notification:write',
  'processor-connection:write',
  'member:write',
  'payout:confirm',
  'email:read',
  'webhook:write',
  'audit-log:read',
] as const;

const PERMISSIONS: readonly Permission[] = [...SCOPES, ...SESSION_PERMISSIONS];

const OWNER_ONLY: ReadonlySet<Permission> = new Set<Permission>([
  'member:write',
  'payout:confirm',
  'audit-log:read',
]);

const MEMBER: ReadonlySet<Permission> = new Set<Permission>([
  'program:list',
  'program:read',
  'partner:list',
  'link:list',
  'customer:list',
  'policy:list',
  'commission:list',
  'payout:list',
  'trace:read',
  'dashboard:view',
  'tracking:read',
  'tracking:list',
  'performance:read',
  'api-key:read',
  'notification:read',
]);

const VIEWER: ReadonlySet<Permission> = new Set<Permission>([
  'program:list',
  'program:read',
  'dashboard:view',
  'tracking:read',
  'performance:read',
]);

export function roleAllows(role: MemberRole, permission: Permission): boolean {
  switch (role) {
    case 'owner':
      return true;
    case 'admin':
      return !OWNER_ONLY.has(permission);
    case 'member':
      return MEMBER.has(permission);
    case 'viewer':
      return VIEWER.has(permission);
  }
}

/** Returns every permission of the role, in a fixed order. */
export function permissionsOf(role: MemberRole): Permission[] {
  return PERMISSIONS.filter((permission) => roleAllows(role, permission));
}

/** The actor's role in the workspace, or null when it has none. A key has the current role of its creator. */
export function roleIn(actor: Actor, workspaceId: number): MemberRole | null {
  if (actor.kind === 'key') return actor.workspaceId === workspaceId ? actor.creatorRole : null;
  return actor.memberships.find((membership) => membership.workspaceId === workspaceId)?.role ?? null;
}

/**
 * Whether the actor may know that the program exists. The program must be in one of the actor's workspaces,
 * and in the actor's program scope if there is one.
 */
export function canSeeProgram(
  actor: Actor,
  program: { readonly id: number; readonly workspaceId: number },
): boolean {
  const scope = programScopeOf(actor);
  return roleIn(actor, program.workspaceId) !== null && (scope === null || scope.includes(program.id));
}

/**
 * Rejects a caller who lacks the permission in the workspace of a row. A caller who is not in the workspace
 * gets the same reply as for a row that does not exist.
 */
export function checkWorkspacePermission(
  actor: Actor,
  workspaceId: number,
  permission: Permission,
): Rejection | null {
  if (roleIn(actor, workspaceId) === null) return new Rejection('not_found');
  return isAllowed(actor, workspaceId, permission) ? null : new Rejection('forbidden');
}

/**
 * Whether the actor has the permission in the workspace. A key with a program scope may have the permission
 * for only some programs, so check `isAllowedInProgram` too.
 */
export function isAllowed(actor: Actor, workspaceId: number, permission: Permission): boolean {
  const role = roleIn(actor, workspaceId);
  if (role === null || !roleAllows(role, permission)) return false;
  if (actor.kind === 'session') return true;
  return isScope(permission) && (actor.scopes.includes('*') || actor.scopes.includes(permission));
}

function isScope(permission: Permission): permission is Scope {
  return (SCOPES as readonly string[]).includes(permission);
}

/** Whether the actor has the permission in this program. */
export function isAllowedInProgram(
  actor: Actor,
  program: { readonly id: number; readonly workspaceId: number },
  permission: Permission,
): boolean {
  if (!isAllowed(actor, program.workspaceId, permission)) return false;
  const scope = programScopeOf(actor);
  return scope === null || scope.includes(program.id);
}

/** The programs that the actor is limited to, or null for every program of the workspace. */
export function programScopeOf(actor: Actor): readonly number[] | null {
  return actor.kind === 'session' ? null : actor.programScope;
}
