import type { Runtime } from '../runtime.ts';
import { ACCOUNTS_LANE, insertWorkspace, type MemberWorkspace } from '../storage/accounts/users.ts';
import { recordChange } from './audit.ts';

export async function createWorkspace(
  runtime: Runtime,
  input: { readonly name: string; readonly ownerId: number },
): Promise<MemberWorkspace> {
  const at = runtime.now();
  const id = await runtime.engine.write(ACCOUNTS_LANE, async (tx) => {
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
