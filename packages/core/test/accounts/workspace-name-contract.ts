import { afterEach, beforeEach, expect, it } from 'vitest';
import type { OpenEngine } from '../support/engine-kinds.ts';
import { countStatuses, openWorld, runConcurrently, type World } from '../support/management-world.ts';

const PATH = '/api/advertiser/workspaces';

export function workspaceNameContract(open: OpenEngine): void {
  let world: World;
  beforeEach(async () => {
    world = await openWorld(open);
  });
  afterEach(() => world.close());

  const rename = (id: number, token: string, name: unknown) =>
    world.call<{ data: object }>('PUT', `${PATH}/${id}`, { token, body: { name } });
  const changesOf = (workspaceId: number) =>
    world.engine.read
      .selectFrom('audit_log')
      .selectAll()
      .where('workspace_id', '=', workspaceId)
      .where('action', '=', 'workspace.update')
      .orderBy('id')
      .execute();

  it('is changed by an owner, and recorded once per change', async () => {
    const owner = await world.owner();
    const { workspaceId } = owner;
    for (const name of ['Leaf & Kettle', 'Leaf & Kettle']) {
      expect(await rename(workspaceId, owner.token, name)).toMatchObject({
        status: 200,
        body: { data: { id: workspaceId, name, role: 'owner' } },
      });
    }
    const list = await world.call('GET', PATH, owner);
    expect(list.body).toMatchObject({ data: [{ id: workspaceId, name: 'Leaf & Kettle' }] });
    expect(await changesOf(workspaceId)).toMatchObject([
      { state_before: '{"name":"Acme"}', state_after: '{"name":"Leaf & Kettle"}' },
    ]);
    for (const name of ['', 1, undefined])
      expect((await rename(workspaceId, owner.token, name)).status).toBe(400);
  });

  it('is not changed by other roles, nor by the owner of another workspace', async () => {
    const owner = await world.owner();
    const { workspaceId } = owner;
    for (const role of ['admin', 'member', 'viewer'] as const) {
      const { token } = await world.signUp([{ workspaceId, role }]);
      expect((await rename(workspaceId, token, 'Taken')).status).toBe(403);
    }
    const outsider = await world.owner();
    const [foreign, unknown] = [
      await rename(workspaceId, outsider.token, 'Taken'),
      await rename(workspaceId + 1_000, outsider.token, 'Taken'),
    ];
    expect([foreign.status, unknown.status]).toEqual([404, 404]);
    expect(await changesOf(workspaceId)).toEqual([]);
  });

  it('keeps a gapless history of concurrent changes', async () => {
    const owner = await world.owner();
    let count = 0;
    const replies = await runConcurrently(8, () => rename(owner.workspaceId, owner.token, `Name ${count++}`));
    expect(countStatuses(replies)).toEqual({ 200: 8 });
    const changes = await changesOf(owner.workspaceId);
    expect(changes).toHaveLength(8);
    expect(changes.slice(1).map((change) => change.state_before)).toEqual(
      changes.slice(0, -1).map((change) => change.state_after),
    );
  });
}
