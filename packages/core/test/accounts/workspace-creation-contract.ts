import { afterEach, expect, it } from 'vitest';
import type { AffkitOptions } from '../../src/options.ts';
import type { OpenEngine } from '../support/engine-kinds.ts';
import { openWorld, type World } from '../support/management-world.ts';

const PATH = '/api/advertiser/workspaces';

export function workspaceCreationContract(open: OpenEngine): void {
  let world: World;
  afterEach(() => world.close());

  /** Creates a workspace as a user of each kind. @returns the status of the response for each kind of user */
  const createAsEach = async (options: Partial<AffkitOptions>) => {
    world = await openWorld(open, options);
    const owner = await world.owner();
    const { workspaceId } = owner;
    const partner = await linkPartner(workspaceId, await world.signUp());
    const owningPartner = await linkPartner(workspaceId, await world.owner());
    const callers = {
      owner: owner.token,
      admin: (await world.signUp([{ workspaceId, role: 'admin' }])).token,
      member: (await world.signUp([{ workspaceId, role: 'member' }])).token,
      viewer: (await world.signUp([{ workspaceId, role: 'viewer' }])).token,
      partner: partner.token,
      'owner who is also a partner': owningPartner.token,
      'user without a role': (await world.signUp()).token,
    };
    const statuses: Record<string, number> = {};
    for (const [caller, token] of Object.entries(callers)) {
      statuses[caller] = (await world.call('POST', PATH, { token, body: { name: 'New' } })).status;
    }
    return statuses;
  };

  /** Links the user to a new partner of the workspace. */
  const linkPartner = async <T extends { userId: number; email: string }>(workspaceId: number, user: T) => {
    await world.engine.write(workspaceId, (tx) =>
      tx.db
        .insertInto('partners')
        .values({
          workspace_id: workspaceId,
          email: user.email,
          name: 'P',
          user_id: user.userId,
          created_at: world.clock.now,
        })
        .execute(),
    );
    return user;
  };

  it('is allowed only to users who own a workspace, by default', async () => {
    expect(await createAsEach({})).toEqual({
      owner: 201,
      admin: 403,
      member: 403,
      viewer: 403,
      partner: 403,
      'owner who is also a partner': 201,
      'user without a role': 403,
    });
  });

  it('is allowed to every signed-in user when the option is "anyone"', async () => {
    const statuses = await createAsEach({ workspaceCreation: 'anyone' });
    expect(new Set(Object.values(statuses))).toEqual(new Set([201]));
  });

  it('if the user may not create a workspace, the error says what to do, and nothing is created', async () => {
    world = await openWorld(open);
    const { token } = await world.signUp();
    // The permission is checked before the body.
    expect(await world.call('POST', PATH, { token, body: {} })).toMatchObject({
      status: 403,
      body: {
        error:
          'Only users who own a workspace can create another one. Ask such a user to create it and add you as an owner, or ask the operator to set WORKSPACE_CREATION=anyone.',
        code: 'owner_required',
      },
    });
    expect(await world.engine.read.selectFrom('workspaces').selectAll().execute()).toEqual([]);
  });

  it('is not allowed to a user who is no longer an owner', async () => {
    world = await openWorld(open);
    const { token, userId } = await world.owner();
    await world.engine.write(0, (tx) =>
      tx.db.updateTable('members').set({ role: 'admin' }).where('user_id', '=', userId).execute(),
    );
    expect(await world.call('POST', PATH, { token, body: { name: 'New' } })).toMatchObject({ status: 403 });
  });

  it('is allowed to the first owner', async () => {
    world = await openWorld(open);
    const email = 'first@shop.example';
    const password = 'correct horse battery';
    await world.affkit.ensureFirstOwner({ email, password });
    const login = await world.call<{ token: string }>('POST', '/api/auth/login', {
      body: { email, password },
    });
    const reply = await world.call('POST', PATH, { token: login.body.token, body: { name: 'New' } });
    expect(reply.status).toBe(201);
  });
}
