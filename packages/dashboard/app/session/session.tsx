import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Me, Program } from '../api/types.ts';

export type Permission = string;

/** The signed-in user, and the user's programs. */
export interface Session {
  readonly me: Me;
  readonly programs: readonly Program[];
}

export const SessionContext = createContext<Session | null>(null);

/** Returns the session. Use it only on pages that require a session. */
export function useSession(): Session {
  const session = useContext(SessionContext);
  if (session === null) throw new Error('useSession requires a page with a session');
  return session;
}

/** A program, and what the user may do in its workspace. */
export interface ProgramView {
  readonly program: Program;
  /** The path of the program in the management API. */
  readonly api: string;
  /** The path of the program's pages, for links. */
  readonly page: string;
  readonly may: (permission: Permission) => boolean;
}

export const ProgramContext = createContext<ProgramView | null>(null);

/** Returns the program of a page below `/p/:programId`. */
export function useProgram(): ProgramView {
  const view = useContext(ProgramContext);
  if (view === null) throw new Error('useProgram needs a page of a program');
  return view;
}

/** A workspace of the signed-in user, and what the user may do in it. */
export interface WorkspaceView {
  readonly id: number;
  readonly name: string;
  /** The path of the workspace's pages, for links. */
  readonly page: string;
  readonly programs: readonly Program[];
  readonly may: (permission: Permission) => boolean;
}

export const WorkspaceContext = createContext<WorkspaceView | null>(null);

/** Returns the workspace of a page below `/w/:workspaceId`. */
export function useWorkspace(): WorkspaceView {
  const workspace = useContext(WorkspaceContext);
  if (workspace === null) throw new Error('useWorkspace needs a page of a workspace');
  return workspace;
}

/** Returns the view of a workspace for this user, or null when the user is not a member. */
export function workspaceOf(
  { me, programs }: Session,
  workspaceId: number | undefined,
): WorkspaceView | null {
  const workspace = me.workspaces.find(({ id }) => id === workspaceId);
  if (!workspace) return null;
  return {
    id: workspace.id,
    name: workspace.name,
    page: `/w/${workspace.id}`,
    programs: programs.filter(({ workspace_id }) => workspace_id === workspace.id),
    may: (permission) => workspace.permissions.includes(permission),
  };
}

/** Whether the user has the permission in the workspace. Actions without permission are not shown. */
function isAllowed(me: Me, workspaceId: number, permission: Permission): boolean {
  const workspace = me.workspaces.find(({ id }) => id === workspaceId);
  return workspace?.permissions.includes(permission) ?? false;
}

/** Whether the user may create a program in at least one workspace. */
export function mayCreateProgram(me: Me): boolean {
  return me.workspaces.some(({ permissions }) => permissions.includes('program:create'));
}

/** Returns the view of a program for this user. */
export function viewOf(me: Me, program: Program): ProgramView {
  return {
    program,
    api: `/api/advertiser/affiliate-programs/${program.id}`,
    page: `/p/${program.id}`,
    may: (permission) => isAllowed(me, program.workspace_id, permission),
  };
}
