import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { OpenEngine } from '../support/engine-kinds.ts';
import { openWorld, type SignedUp, type World } from '../support/management-world.ts';

const PROGRAMS = '/api/advertiser/affiliate-programs';
const KEYS = '/api/advertiser/api-keys';

interface Created {
  readonly data: { readonly id: number; readonly api_token: string; readonly key: string };
}

/** Requests whose headers arrive before a change of access, and whose body arrives after it. */
export function lateBodyContract(open: OpenEngine): void {
  let world: World;
  let owner: SignedUp & { readonly workspaceId: number };
  let program: Created['data'];

  beforeAll(async () => {
    world = await openWorld(open);
  });
  afterAll(() => world.close());
  beforeEach(async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    owner = await world.owner();
    const commission = { type: 'percent', rate: 10 };
    program = await create(PROGRAMS, { name: 'Shop', site_url: 'https://shop.example', commission });
  });
  afterEach(() => vi.useRealTimers());

  const create = async (path: string, body: object) =>
    (await world.call<Created>('POST', path, { token: owner.token, body })).body.data;
  const send = (method: string, path: string, token: string, body: object, change: () => Promise<unknown>) =>
    world.call(method, path, {
      token,
      body,
      beforeBody: async () => {
        await change();
        vi.advanceTimersByTime(1_000);
      },
    });
  const setRole = (userId: number, role: 'viewer' | 'admin') =>
    world.engine.write(owner.workspaceId, ({ db }) =>
      db.updateTable('members').set({ role }).where('user_id', '=', userId).execute(),
    );
  const rotateToken = () => create(`${PROGRAMS}/${program.id}/regenerate-api-token`, {});
  const countPartners = async () =>
    (await world.call<{ data: unknown[] }>('GET', `${PROGRAMS}/${program.id}/partners`, owner)).body.data
      .length;

  describe('a request whose body arrives late', () => {
    it.each(['partners', 'partners/import'])(
      'is rejected if the key was revoked meanwhile (%s)',
      async (path) => {
        const { id, key } = await create(KEYS, { name: 'CI' });
        const revoke = () => world.call('DELETE', `${KEYS}/${id}`, owner);
        const body = { name: 'Pat', email: 'pat@partner.test' };
        const reply = await send('POST', `${PROGRAMS}/${program.id}/${path}`, key, body, revoke);
        expect(reply).toMatchObject({ status: 401, body: { code: 'key_rejected' } });
        expect(await countPartners()).toBe(0);
      },
    );

    it('is rejected if the user signed out or lost the role meanwhile', async () => {
      const user = await world.signUp([{ workspaceId: owner.workspaceId, role: 'admin' }]);
      const path = `${PROGRAMS}/${program.id}`;
      const demote = () => setRole(user.userId, 'viewer');
      expect(await send('PUT', path, user.token, { name: 'Mine' }, demote)).toMatchObject({ status: 403 });
      await setRole(user.userId, 'admin');
      const signOut = () => world.call('POST', '/api/auth/logout', user);
      expect(await send('PUT', path, user.token, { name: 'Mine' }, signOut)).toMatchObject({ status: 401 });
    });

    it('is rejected if the tracking token was replaced meanwhile', async () => {
      const sale = { transaction_id: 'late', amount_cents: 100, customer_key: 'c' };
      for (const [path, body] of [
        ['sale', sale],
        ['lead', { customer_key: 'c' }],
      ] as const) {
        const reply = await send('POST', `/api/v1/track/${path}`, program.api_token, body, async () => {
          program = { ...program, ...(await rotateToken()) };
        });
        expect(reply).toMatchObject({ status: 401, body: { code: 'token_invalid' } });
      }
    });

    it('is processed with the current rights of the caller (an import with a key)', async () => {
      const commission = { type: 'percent', rate: 10 };
      const other = await create(PROGRAMS, { name: 'Other', site_url: 'https://other.example', commission });
      const pat = { name: 'Pat', email: 'pat@partner.test' };
      await create(`${PROGRAMS}/${other.id}/partners`, pat);
      const { id, key } = await create(KEYS, { name: 'CI' });
      const reply = await world.call('POST', `${PROGRAMS}/${program.id}/partners/import`, {
        token: key,
        text: `name,email\n${pat.name},${pat.email}\n`,
        beforeBody: async () => {
          const body = { program_scope: [String(program.id)] };
          const change = await world.call('PUT', `${KEYS}/${id}`, { token: owner.token, body });
          expect(change.status).toBe(200);
          vi.advanceTimersByTime(1_000);
        },
      });
      expect(reply).toMatchObject({ status: 200, body: { meta: { created: 0, failed: 1 } } });
      expect(await countPartners()).toBe(0);
    });

    it('is accepted if the access did not change', async () => {
      const body = { name: 'Pat', email: 'pat@partner.test' };
      const path = `${PROGRAMS}/${program.id}/partners`;
      expect(await send('POST', path, owner.token, body, async () => {})).toMatchObject({ status: 201 });
    });
  });
}
