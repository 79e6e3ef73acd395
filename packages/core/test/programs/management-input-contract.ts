import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { routeTable } from '../../src/http/route-table.ts';
import { createLink } from '../../src/management/links.ts';
import { createPartner } from '../../src/management/partners.ts';
import { createPolicy } from '../../src/management/policies.ts';
import { findProgram } from '../../src/storage/programs/programs.ts';
import { createRecorders } from '../../src/tracking/recorders.ts';
import type { OpenEngine } from '../support/engine-kinds.ts';
import { openWorld, PASSWORD, type SignedUp, type World } from '../support/management-world.ts';

const PROGRAMS = '/api/advertiser/affiliate-programs';
const KEYS = '/api/advertiser/api-keys';

interface Row {
  readonly data: Readonly<Record<string, unknown>> & { readonly id: number; readonly key: string };
}

export function managementInputContract(open: OpenEngine): void {
  let world: World;
  let owner: SignedUp & { readonly workspaceId: number };
  let program: string;
  let programId: number;

  beforeAll(async () => {
    world = await openWorld(open);
    owner = await world.owner();
    programId = (await call('POST', PROGRAMS, settings)).body.data.id;
    program = `${PROGRAMS}/${programId}`;
  });
  afterAll(() => world.close());

  const settings = {
    name: 'Shop',
    site_url: 'https://shop.example',
    commission: { type: 'percent', rate: 10 },
  };
  const call = (method: string, path: string, body?: unknown, token = owner.token) =>
    world.call<Row>(method, path, { token, body });
  const invalid = (error: string) => ({ status: 400, body: { error, code: 'invalid_field' } });

  describe('an unknown field or query parameter', () => {
    it('an unknown field in a body is reported before other errors, and nothing is stored', async () => {
      const misspelled = { ...settings, name: '', hold_day: 14 };
      expect(await call('POST', PROGRAMS, misspelled)).toMatchObject(
        invalid('Unknown field "hold_day". Did you mean "hold_days"?'),
      );
      expect(await call('PUT', program, { site_url: 'https://new.example', hold_day: null })).toMatchObject(
        invalid('Unknown field "hold_day". Did you mean "hold_days"?'),
      );
      const { body } = await call('GET', program);
      expect(body.data['site_url']).toBe('https://shop.example/');
    });

    it('an unknown field in the terms of a commission is rejected', async () => {
      const terms = { type: 'percent', rate: 10, amount_cent: 5 };
      expect(await call('POST', PROGRAMS, { ...settings, commission: terms })).toMatchObject(
        invalid('Unknown field "commission.amount_cent". Known: type, rate.'),
      );
      expect(
        await call('POST', `${program}/commission-policies`, { ...terms, recuring_months: null }),
      ).toMatchObject(
        invalid('Unknown fields "amount_cent", "recuring_months". Did you mean "recurring_months"?'),
      );
    });

    it('an unknown query parameter is rejected, even if the route has no parameters', async () => {
      expect(await call('GET', `${program}/commissions?page_size=5`)).toMatchObject(
        invalid('Unknown query parameter "page_size". Did you mean "pageSize"?'),
      );
      expect(await call('GET', `${program}?expand=links`)).toMatchObject(
        invalid('Unknown query parameter "expand". This route accepts none.'),
      );
      expect(await call('GET', `${program}/trace?customerkey=user-1`)).toMatchObject(
        invalid('Unknown query parameter "customerkey". Did you mean "customer_key"?'),
      );
      expect(await call('POST', `${program}/go-live?dry_run=1`)).toMatchObject({ status: 400 });
      expect(await call('POST', `${program}/go-live`, { dry_run: true })).toMatchObject(
        invalid('Unknown field "dry_run". This route accepts none.'),
      );
    });

    it('the read routes of the dashboard ignore an unknown query parameter', async () => {
      const reads = ['status', 'events', 'performance'].map(async (kind) => {
        const { status } = await call('GET', `/api/tracking/${kind}/${programId}?page_size=5`);
        return status;
      });
      expect(await Promise.all(reads)).toEqual([200, 200, 200]);
    });

    it('a password in a request that adds a member is ignored', async () => {
      const member = { email: 'new@shop.example', name: 'New', role: 'viewer', password: 'ignored' };
      const body = { ...member, workspace_id: owner.workspaceId };
      expect(await call('POST', '/api/advertiser/members', body)).toMatchObject({ status: 201 });
    });
  });

  describe('a change of a policy', () => {
    it('a change of a policy keeps the fields that the request omits', async () => {
      const terms = { type: 'percent', rate: 10, recurring_months: 12, product_id: 'pro' };
      const { id } = (await call('POST', `${program}/commission-policies`, terms)).body.data;
      const put = async (change: object) => {
        const { body } = await call('PUT', `${program}/commission-policies/${id}`, change);
        const { type, rate, amount_cents, recurring_months, version } = body.data;
        return { type, rate, amount_cents, recurring_months, version };
      };
      const percent = {
        type: 'percent',
        rate: 20,
        amount_cents: undefined,
        recurring_months: 12,
        version: 2,
      };
      expect(await put({ rate: 20 })).toEqual(percent);
      expect(await put({})).toEqual(percent);
      expect(await put({ type: 'percent' })).toEqual(percent);
      expect(await put({ recurring_months: 3 })).toEqual({ ...percent, recurring_months: 3, version: 3 });
      const endless = { ...percent, recurring_months: null, version: 4 };
      expect(await put({ recurring_months: null })).toEqual(endless);
      const flat = { ...endless, type: 'flat', rate: undefined, amount_cents: 500, version: 5 };
      expect(await put({ type: 'flat', amount_cents: 500 })).toEqual(flat);
      expect(await put({ amount_cents: 600 })).toEqual({ ...flat, amount_cents: 600, version: 6 });
    });

    it('a change of the policy type requires the rate or amount of the new type', async () => {
      const terms = { type: 'percent', rate: 10, product_id: 'typed' };
      const { id } = (await call('POST', `${program}/commission-policies`, terms)).body.data;
      const put = (change: object) => call('PUT', `${program}/commission-policies/${id}`, change);
      expect(await put({ type: 'flat' })).toMatchObject(
        invalid('amount_cents is required when type is flat'),
      );
      expect(await put({ amount_cents: 5 })).toMatchObject(invalid('type must be flat to set amount_cents'));
      expect(await put({ type: 'flat', amount_cents: 5 })).toMatchObject({ status: 200 });
      expect(await put({ type: 'percent' })).toMatchObject(invalid('rate is required when type is percent'));
      // A success would hide that the amount or rate has no effect.
      expect(await put({ type: 'percent', rate: 5, amount_cents: 700 })).toMatchObject(
        invalid('amount_cents is not allowed when type is percent'),
      );
      expect(await put({ type: 'flat', rate: 5 })).toMatchObject(
        invalid('rate is not allowed when type is flat'),
      );
    });
  });

  describe('an error', () => {
    it('an error contains the name of the invalid field', async () => {
      const partner = { name: 'Pat', email: 'pat@partner.test', code: 'a' };
      expect(await call('POST', `${program}/partners`, partner)).toMatchObject(
        invalid('code must consist of 2 to 64 of the characters A-Z a-z 0-9 _ -'),
      );
      const policies = `${program}/commission-policies`;
      for (const type of ['share', undefined, 5]) {
        expect(await call('POST', policies, { type, rate: 5, product_id: 'p' })).toMatchObject(
          invalid('type must be percent or flat'),
        );
      }
      expect(await call('PUT', `${policies}/1`, { type: 'share' })).toMatchObject(
        invalid('type must be percent or flat'),
      );
    });

    it('an error contains the first visible characters of an unknown scope', async () => {
      const scopes = [`a\u202e\u0000b${'x'.repeat(5000)}`];
      expect(await call('POST', KEYS, { name: 'k', scopes })).toMatchObject(
        invalid(`Unknown scope: ab${'x'.repeat(62)}`),
      );
    });
  });

  describe('a name', () => {
    it.each(['x\u061cy', 'x\u200fy', 'a\u2028b', 'a\u2029b', 'a\u2067b'])('%j is rejected', async (name) => {
      expect(await call('PUT', program, { name })).toMatchObject(
        invalid('name must not contain control or bidirectional characters'),
      );
    });

    it.each(['\u200b', '\u00ad\u200b', '\u{e0001}', '\u3164', '\u115f \u1160', '\uffa0'])(
      '%j is rejected because it has no visible character',
      async (name) => {
        expect(await call('PUT', program, { name })).toMatchObject(
          invalid('name must contain a visible character'),
        );
      },
    );

    it("a member's name is from the invitation until it is accepted, and then from the user account", async () => {
      const user = await world.signUp();
      const members = '/api/advertiser/members';
      const invited = { email: user.email, name: 'Invited', role: 'viewer' };
      const { data } = (await call('POST', members, invited)).body;
      expect(data).toMatchObject({ name: 'Invited', user_id: null });
      const last = async () => {
        const { body } = await world.call<{ data: unknown[] }>('GET', members, { token: owner.token });
        return body.data.at(-1);
      };
      expect(await last()).toMatchObject({ name: 'Invited' });
      const token = data['invite_token'];
      expect((await call('POST', '/api/auth/accept-invite', { token }, user.token)).status).toBe(200);
      expect(await last()).toMatchObject({ name: 'Ann' });
    });

    it('a name may contain invisible characters next to visible ones', async () => {
      const name = '👩\u200d💻 Shop';
      expect(await call('PUT', program, { name })).toMatchObject({ status: 200, body: { data: { name } } });
    });
  });

  describe('an empty text', () => {
    it('an empty text in an id field counts as absent', async () => {
      const body = { ...settings, workspace_id: '' };
      expect((await call('POST', PROGRAMS, body)).status).toBe(201);
      const policy = { type: 'percent', rate: 1, partner_id: '', product_id: 'empty' };
      expect(await call('POST', `${program}/commission-policies`, policy)).toMatchObject({
        status: 201,
        body: { data: { partner_id: null } },
      });
      const partner = { name: 'Eve', email: 'eve@partner.test', code: '' };
      const created = await call('POST', `${program}/partners`, partner);
      expect(created.status).toBe(201);
      const link = { partner_id: created.body.data.id, short_link: '' };
      expect((await call('POST', `${program}/links`, link)).status).toBe(201);
    });
  });

  describe('a URL', () => {
    it('a URL with a user name or a password is rejected', async () => {
      for (const site_url of ['https://a:b@shop.example', 'https://a@shop.example']) {
        expect(await call('PUT', program, { site_url })).toMatchObject(
          invalid('site_url must not contain a user or password'),
        );
      }
      expect(await call('PUT', program, { allowed_origins: ['https://a:b@shop.example'] })).toMatchObject(
        invalid('each of allowed_origins must be an origin such as https://shop.example, or *'),
      );
    });

    it.each(['*', '%2A'])(
      'an origin with the wildcard %s is rejected, because it would match no page',
      async (wildcard) => {
        const allowed_origins = [`https://${wildcard}.shop.example`];
        expect(await call('PUT', program, { allowed_origins })).toMatchObject(
          invalid('each of allowed_origins must be an origin such as https://shop.example, or *'),
        );
      },
    );

    it('an origin is stored once if a list contains it twice', async () => {
      const allowed_origins = ['https://shop.example', 'https://SHOP.example:443/', '*', '*'];
      expect(await call('PUT', program, { allowed_origins })).toMatchObject({
        status: 200,
        body: { data: { allowed_origins: ['https://shop.example', '*'] } },
      });
    });
  });

  describe('a key', () => {
    it('a key cannot list the keys of another workspace', async () => {
      const { key } = (await call('POST', KEYS, { name: 'k' })).body.data;
      const otherOwner = await world.owner();
      for (const id of [otherOwner.workspaceId, 987654]) {
        expect((await call('GET', `${KEYS}?workspace_id=${id}`, undefined, key)).status).toBe(404);
      }
      expect((await call('GET', `${KEYS}?workspace_id=${owner.workspaceId}`, undefined, key)).status).toBe(
        200,
      );
    });

    it('a change of a key may contain its current program_scope, even if a program in it was deleted', async () => {
      const deleted = (await call('POST', PROGRAMS, settings)).body.data.id;
      const program_scope = [String(programId), String(deleted)];
      const { id } = (await call('POST', KEYS, { name: 'k', program_scope })).body.data;
      expect((await call('DELETE', `${PROGRAMS}/${deleted}`)).status).toBe(200);
      expect(await call('PUT', `${KEYS}/${id}`, { name: 'n', program_scope })).toMatchObject({
        status: 200,
        body: { data: { name: 'n', program_scope } },
      });
      const otherKey = (await call('POST', KEYS, { name: 'k', program_scope: [String(programId)] })).body
        .data;
      expect((await call('PUT', `${KEYS}/${otherKey.id}`, { program_scope })).status).toBe(400);
    });
  });

  describe('a response', () => {
    it('a response for a single caller has Cache-Control: no-store', async () => {
      const login = { email: owner.email, password: PASSWORD };
      const replies = [
        await world.call('POST', '/api/auth/login', { body: login }),
        await world.call('POST', '/api/auth/login', { body: { ...login, password: 'wrong' } }),
        await world.call('GET', PROGRAMS),
        await call('GET', '/api/auth/me'),
        await call('POST', KEYS, { name: 'k' }),
        await call('PUT', PROGRAMS),
        await call('GET', `/api/tracking/status/${programId}`),
        await call('GET', '/api/partner/me'),
      ];
      for (const reply of replies) expect(reply.headers['cache-control']).toBe('no-store');
      const { runtime } = world.affkit;
      for (const { method, path, access } of routeTable(createRecorders(runtime))) {
        if (method !== 'GET' || access.kind === 'public') continue;
        const reply = await world.call('GET', path.replace(/:\w+/g, '1'));
        expect([path, reply.status, reply.headers['cache-control']]).toEqual([path, 401, 'no-store']);
      }
      const open = await world.call('GET', '/api/v1/marketplace/programs');
      expect(open.headers['cache-control']).not.toBe('no-store');
    });
  });

  describe('a program that is deleted concurrently', () => {
    it('a program that is deleted concurrently rejects new partners, links and policies', async () => {
      const { id } = (await call('POST', PROGRAMS, settings)).body.data;
      const partner = { name: 'Pat', email: 'pat@partner.test' };
      const partnerId = (await call('POST', `${PROGRAMS}/${id}/partners`, partner)).body.data.id;
      const account = await findProgram(world.engine.read, id);
      if (!account) throw new Error('The program was not found');
      expect((await call('DELETE', `${PROGRAMS}/${id}`)).status).toBe(200);
      const { runtime } = world.affkit;
      const late = [
        createPartner(runtime, account, { name: 'Ben', email: 'ben@partner.test' }, null),
        createLink(runtime, account, { partner_id: partnerId }),
        createPolicy(runtime, account, { type: 'percent', rate: 5, product_id: 'late' }),
      ];
      for (const outcome of late) expect(await outcome).toMatchObject({ code: 'program_not_found' });
    });
  });
}
