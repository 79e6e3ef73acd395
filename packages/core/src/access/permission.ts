import { SCOPES, type Scope } from '@affkit/protocol';
import type { MemberRole } from '../storage/database/schema-accounts.ts';
import type { Actor } from './actor.ts';

/** An action on a workspace's resources, or one that no key can be given. */
export type Permission =
  | Scope
  | 'tracking:read'
  | 'tracking:list'
  | 'performance:read'
  | 'api-key:read'
  | 'api-key:write'
  | 'notification:read'
  | 'processor-connection:write'
  | 'member:write'
  | 'audit-log:read';

const MEMBER: ReadonlySet<Permission> = new Set<Permission>([
  'program:list',
  'program:read',
  'partner:list',
  'link:list',
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

const VIEWER: ReadonlySet<Permission> = new Set<Permission>(['tracking:read', 'performance:read']);

export function roleAllows(role: MemberRole, permission: Permission): boolean {
  switch (role) {
    case 'owner':
      return true;
    case 'admin':
      return permission !== 'member:write' && permission !== 'audit-log:read';
    case 'member':
      return MEMBER.has(permission);
    case 'viewer':
      return VIEWER.has(permission);
  }
}

/** The user's role in the workspace, a key's creator's for a key; null where it has no part in it. */
export function roleIn(actor: Actor, workspaceId: number): MemberRole | null {
  if (actor.kind === 'key') return actor.workspaceId === workspaceId ? actor.creatorRole : null;
  return actor.memberships.find((membership) => membership.workspaceId === workspaceId)?.role ?? null;
}

/** May the actor do that somewhere in the workspace? A key with `program_scope` still can't in every program. */
export function isAllowed(actor: Actor, workspaceId: number, permission: Permission): boolean {
  const role = roleIn(actor, workspaceId);
  if (role === null || !roleAllows(role, permission)) return false;
  if (actor.kind === 'session') return true;
  return isScope(permission) && (actor.scopes.includes('*') || actor.scopes.includes(permission));
}

function isScope(permission: Permission): permission is Scope {
  return (SCOPES as readonly string[]).includes(permission);
}

/** May the actor do that in this program of the workspace? */
export function isAllowedInProgram(
  actor: Actor,
  program: { readonly id: number; readonly workspaceId: number },
  permission: Permission,
): boolean {
  if (!isAllowed(actor, program.workspaceId, permission)) return false;
  const scope = programScopeOf(actor);
  return scope === null || scope.includes(program.id);
}

/** The programs that the actor's credential is limited to; null = every one of the workspace. */
export function programScopeOf(actor: Actor): readonly number[] | null {
  return actor.kind === 'session' ? null : actor.programScope;
}
