import { Rejection } from '../rejection.ts';
import type { Runtime } from '../runtime.ts';
import { SERVICE_LANE } from '../storage/accounts/users.ts';
import {
  findWorkspaceName,
  insertWorkspace,
  listWorkspacesOfUser,
  type MemberWorkspace,
  updateWorkspaceName,
} from '../storage/accounts/workspaces.ts';
import { recordChange } from './audit.ts';
import { asOwner } from './members.ts';

export async function createWorkspace(
  runtime: Runtime,
  input: { readonly name: string; readonly ownerId: number },
): Promise<MemberWorkspace> {
  const at = runtime.now();
  const id = await runtime.engine.write(SERVICE_LANE, async (tx) => {
    const workspaceId = await insertWorkspace(tx, { ...input, at });
    await recordChange(tx, runtime, {
      workspaceId,
      action: 'workspace.create',
      subjectId: workspaceId,
      before: null,
      after: { name: input.name },
    });
    return workspaceId;
  });
  return { id, name: input.name, role: 'owner', createdAt: at };
}

/** Changes the name that members, partners, receipts, and emails show. Only owners can change it. */
export async function renameWorkspace(
  runtime: Runtime,
  by: { readonly workspaceId: number; readonly userId: number },
  name: string,
): Promise<MemberWorkspace | Rejection> {
  return await asOwner(runtime, by, async (tx) => {
    const { workspaceId, userId } = by;
    const before = await findWorkspaceName(tx.db, workspaceId);
    await updateWorkspaceName(tx, workspaceId, name);
    await recordChange(tx, runtime, {
      workspaceId,
      action: 'workspace.update',
      subjectId: workspaceId,
      before: { name: before },
      after: { name },
    });
    const workspaces = await listWorkspacesOfUser(tx.db, userId);
    return workspaces.find(({ id }) => id === workspaceId) ?? new Rejection('not_found');
  });
}
