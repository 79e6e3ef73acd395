import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { recordHistory } from '../../src/history/record-history.ts';
import type { OpenEngine } from '../support/engine-kinds.ts';
import {
  countStatuses,
  openWorld,
  PASSWORD,
  runConcurrently,
  type SignedUp,
  type World,
} from '../support/management-world.ts';

const PROGRAMS = '/api/advertiser/affiliate-programs';
const DAY = 86_400_000;

interface Row {
  readonly data: {
    readonly id: number;
    readonly key: string;
    readonly email: string;
    readonly name: string;
    readonly slug: string;
    readonly invite_token?: string;
  };
}

export function programScopeContract(open: OpenEngine): void {
  let world: World;
  let owner: SignedUp;
  let allowedProgram: number;
  let otherProgram: number;
  let key: string;
  let email: string;

  const call = (method: string, path: string, body?: unknown, token = owner.token) =>
    world.call<Row>(method, path, { token, body });
  const addProgram = async () => {
    const commission = { type: 'percent', rate: 10 };
    const body = { name: 'Shop', site_url: 'https://shop.example', commission };
    return (await call('POST', PROGRAMS, body)).body.data.id;
  };
  const addKey = async (scope: readonly number[]) => {
    const body = { name: 'k', program_scope: scope.map(String) };
    return (await call('POST', '/api/advertiser/api-keys', body)).body.data.key;
  };
  const enroll = (programId: number, token = owner.token, name = 'Pat') =>
    call('POST', `${PROGRAMS}/${programId}/partners`, { name, email }, token);

  const logIn = () =>
    world.call<{ token: string }>('POST', '/api/auth/login', {
      body: { email: owner.email, password: PASSWORD },
    });
  const accept = (token: string) =>
    world.call('POST', '/api/auth/accept-invite', { body: { token, password: PASSWORD } });

  beforeAll(async () => {
    world = await openWorld(open);
  });
  afterAll(() => world.close());
  beforeEach(async () => {
    owner = await world.owner();
    allowedProgram = await addProgram();
    otherProgram = await addProgram();
    key = await addKey([allowedProgram]);
    email = `${randomUUID()}@partner.test`;
  });

  describe('a key limited to a program', () => {
    it("the key cannot enroll or see a partner of another program by sending the partner's email", async () => {
      await enroll(otherProgram);
      for (const reply of await runConcurrently(5, () => enroll(allowedProgram, key, 'Other'))) {
        expect(reply.status).toBe(403);
        expect(Object.keys(reply.body).sort()).toEqual(['code', 'error', 'request_id']);
      }
      const partners = await world.call<{ data: unknown[] }>(
        'GET',
        `${PROGRAMS}/${allowedProgram}/partners`,
        { token: key },
      );
      expect(partners.body.data).toEqual([]);
    });

    it('the key may not change the name or email of a partner who is also in another program', async () => {
      await enroll(otherProgram);
      const { id } = (await enroll(allowedProgram)).body.data;
      expect(await enroll(allowedProgram, key, 'Other')).toMatchObject({
        status: 200,
        body: { data: { id, name: 'Pat' } },
      });
      const path = `${PROGRAMS}/${allowedProgram}/partners/${id}`;
      const changes = [
        { name: 'Other' },
        { email: 'other@partner.test' },
        { name: 'Other', status: 'banned' },
      ];
      for (const change of changes) {
        expect(countStatuses(await runConcurrently(5, () => call('PUT', path, change, key)))).toEqual({
          403: 5,
        });
      }
      const same = { name: 'Pat', email, status: 'pending' };
      expect(await call('PUT', path, same, key)).toMatchObject({ status: 200, body: { data: same } });
      const both = await addKey([allowedProgram, otherProgram]);
      expect(await call('PUT', path, { name: 'New' }, both)).toMatchObject({ status: 200 });
      await call('DELETE', `${PROGRAMS}/${otherProgram}`);
      expect(await call('PUT', path, { name: 'Newer' }, key)).toMatchObject({ status: 200 });
    });

    it('an invitation from the key becomes invalid when the partner is enrolled in a program that the key cannot access', async () => {
      const first = (await enroll(allowedProgram, key)).body.data.invite_token ?? '';
      const again = (await enroll(otherProgram)).body.data.invite_token ?? '';
      expect(await accept(first)).toMatchObject({ status: 400, body: { code: 'invite_invalid' } });
      expect(await accept(again)).toMatchObject({ status: 200 });
    });

    it('an invitation from the key remains valid when the partner is enrolled in another program of the key', async () => {
      const both = await addKey([allowedProgram, otherProgram]);
      const token = (await enroll(allowedProgram, both)).body.data.invite_token ?? '';
      expect((await enroll(otherProgram)).body.data).not.toHaveProperty('invite_token');
      expect((await accept(token)).status).toBe(200);
    });

    it('an application to another program leaves the invitation valid until the application is approved', async () => {
      const token = (await enroll(allowedProgram, key)).body.data.invite_token ?? '';
      const path = `${PROGRAMS}/${otherProgram}`;
      await call('PUT', `${path}/page`, { published: true });
      const { slug } = (await call('GET', path)).body.data;
      const form = await world.call<{ data: { form_token: string } }>('GET', `/api/v1/programs/${slug}`);
      world.clock.now += 4_000;
      const body = { name: 'Pat', email, form_token: form.body.data.form_token };
      await world.call('POST', `/api/v1/programs/${slug}/applications`, { body });
      expect((await world.call('POST', '/api/auth/invite', { body: { token } })).status).toBe(200);
      const partners = await world.call<{ data: { id: number }[] }>('GET', `${path}/partners`, {
        token: owner.token,
      });
      const approved = await call('PUT', `${path}/partners/${partners.body.data[0]?.id}`, {
        status: 'approved',
      });
      expect(await accept(token)).toMatchObject({ status: 400, body: { code: 'invite_invalid' } });
      expect((await accept(approved.body.data.invite_token ?? '')).status).toBe(200);
    });

    it('the invitation becomes invalid when an import enrolls the partner in another program', async () => {
      const token = (await enroll(allowedProgram, key)).body.data.invite_token ?? '';
      const { slug } = (await call('GET', `${PROGRAMS}/${otherProgram}`)).body.data;
      const options = { source: 'test', sourceTitle: 'Test', programSlug: slug, isDryRun: false };
      const partner = { name: 'Pat', email, status: 'approved', codes: [] } as const;
      await recordHistory(world.affkit.runtime, options, (record) => record([{ kind: 'partner', partner }]));
      expect(await accept(token)).toMatchObject({ status: 400, body: { code: 'invite_invalid' } });
    });

    it('the key cannot get the account of a partner who was in a deleted program outside its scope', async () => {
      const { id } = (await enroll(otherProgram)).body.data;
      expect((await call('DELETE', `${PROGRAMS}/${otherProgram}`)).status).toBe(200);
      world.clock.now += 8 * DAY;
      owner = { ...owner, token: (await logIn()).body.token };
      const enrolled = await enroll(allowedProgram, key);
      expect(enrolled.status).toBe(201);
      expect(enrolled.body.data).not.toHaveProperty('invite_token');
      const path = `${PROGRAMS}/${allowedProgram}/partners/${id}`;
      expect(await call('POST', `${path}/invite`, undefined, key)).toMatchObject({ status: 403 });
      expect(await call('PUT', path, { email: `own-${email}` }, key)).toMatchObject({ status: 403 });
      expect((await call('POST', `${path}/invite`)).status).toBe(201);
    });

    it('only the owner, not the key, can renew the invitation of a partner who is also in another program', async () => {
      await enroll(otherProgram);
      await enroll(allowedProgram);
      world.clock.now += 8 * DAY;
      for (const reply of await runConcurrently(5, () => enroll(allowedProgram, key))) {
        expect(reply.body.data).not.toHaveProperty('invite_token');
      }
      const session = await logIn();
      const invited = await runConcurrently(5, () => enroll(allowedProgram, session.body.token));
      expect(invited.filter((reply) => reply.body.data.invite_token !== undefined)).toHaveLength(1);
      expect((await enroll(allowedProgram, key)).body.data).not.toHaveProperty('invite_token');
      const renewed = await world.engine.read
        .selectFrom('audit_log')
        .select(['program_id', 'actor_kind'])
        .where('action', '=', 'partner.invite')
        .where('program_id', 'in', [allowedProgram, otherProgram])
        .execute();
      expect(renewed).toEqual([{ program_id: allowedProgram, actor_kind: 'user' }]);
    });

    it('the key can invite and rename a partner if the key can access all programs of the partner', async () => {
      const { data } = (await enroll(allowedProgram, key)).body;
      expect(data.invite_token).toMatch(/^affi_/);
      expect(
        await call('PUT', `${PROGRAMS}/${allowedProgram}/partners/${data.id}`, { name: 'New' }, key),
      ).toMatchObject({
        status: 200,
        body: { data: { name: 'New' } },
      });
    });
  });
}
