import type { Runtime } from '../runtime.ts';
import { insertWorkspace, type MemberWorkspace, PEOPLE_LANE } from '../storage/people.ts';

/** Makes a workspace whose owner is the given user. */
export async function createWorkspace(
  runtime: Runtime,
  input: { readonly name: string; readonly ownerId: number },
): Promise<MemberWorkspace> {
  const at = runtime.now();
  const id = await runtime.engine.write(PEOPLE_LANE, (tx) => insertWorkspace(tx, { ...input, at }));
  return { id, name: input.name, role: 'owner', createdAt: at };
}
