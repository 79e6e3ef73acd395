import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createAffkit } from '../../src/create-affkit.ts';
import { auditAndClose } from '../support/audit-ledger.ts';
import type { OpenEngine } from '../support/engine-kinds.ts';
import { SILENT } from '../support/silent-logger.ts';
import {
  addProgram,
  addWorkspaceInSameLane,
  createCaller,
  makeWorld,
  type Reply,
  SECRET,
  START,
  signInOwner,
  type World,
} from '../support/world.ts';

const LEAD = '/api/v1/track/lead';
const CLICK = '/api/v1/track/click';
const LANDING = 'https://shop.example/?aff=anna';
const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;

const FIREFOX = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:128.0) Gecko/20100101 Firefox/128.0';

export function hostileContract(kind: string, open: OpenEngine): void {
  describe(`hostile requests on ${kind}`, () => {
    let world: World;
    beforeEach(async () => {
      world = await makeWorld(await open());
    });
    afterEach(() => auditAndClose(world));
    const invalid = (text: string) => ({ status: 400, body: { error: text, code: 'invalid_field' } });

    test('rejects an email with NUL or a lone surrogate, and accepts the corrected lead', async () => {
      const click_id = await world.click('anna');
      for (const email of ['ann@example\u0000.com', 'ann@example\ud800.com']) {
        expect(await world.call('POST', LEAD, { click_id, email })).toMatchObject(
          invalid('email must not contain NUL or lone surrogates'),
        );
      }
      expect((await world.call('POST', LEAD, { click_id, email: 'ann@example.com' })).status).toBe(200);
    });

    test('rejects deeply nested JSON', async () => {
      const click_id = await world.click('anna');
      const sale = `"transaction_id":"t","amount_cents":1000,"click_id":"${click_id}"`;
      const call = (path: string, body: string): Promise<Reply> =>
        world.call('POST', path, body, { authorization: `Bearer ${world.token}` });
      expect(
        await call('/api/v1/track/sale', `{${sale},"line_items":{"a":${nested(20_000)}}}`),
      ).toMatchObject(invalid('line_items must be nested at most 100 levels deep'));
      for (const path of [CLICK, LEAD, '/api/v1/track/sale', '/api/v1/track/refund']) {
        const body = `{"affiliate_url":"${LANDING}",${sale},"additional_data":{"a":${nested(30_000)}}}`;
        expect(await call(path, body)).toMatchObject(
          invalid('additional_data must be nested at most 100 levels deep'),
        );
      }
      expect((await call('/api/v1/track/sale', `{${sale},"line_items":{"a":${nested(99)}}}`)).status).toBe(
        200,
      );
    });

    test('ignores a field named __proto__', async () => {
      const click_id = await world.click('anna');
      const data = `"additional_data":{"__proto__":{"test_mode":true,"program_id":${world.program.id}}}`;
      expect((await world.call('POST', CLICK, `{"affiliate_url":"${LANDING}",${data}}`)).body).toHaveProperty(
        'click_id',
      );
      const lead = await world.call('POST', LEAD, `{"click_id":"${click_id}",${data}}`);
      expect(lead.body).toEqual({ success: true, message: 'Lead tracked successfully' });
      const whole = `{"__proto__":{"affiliate_url":"${LANDING}"},"constructor":1,"toString":2}`;
      expect((await world.call('POST', CLICK, whole)).body['error']).toBe('affiliate_url is required');
    });

    test('rejects search text that a database cannot store', async () => {
      const { authorization } = await signInOwner(world);
      const trace = `/api/advertiser/affiliate-programs/${world.program.id}/trace`;
      for (const name of ['transaction_id', 'click_id', 'customer_key']) {
        const reply = await world.call('GET', `${trace}?${name}=a%00b`, undefined, { authorization });
        expect(reply).toMatchObject(invalid(`${name} must not contain NUL or lone surrogates`));
      }
      const login = await world.call('POST', '/api/auth/login', { email: 'a\u0000b', password: 'x' });
      expect(login).toMatchObject(invalid('email must not contain NUL or lone surrogates'));
    });

    test('only a valid token exempts a request from the admission check', async () => {
      const { token } = world;
      const affkit = createAffkit({
        engine: world.engine,
        secret: SECRET,
        now: () => START,
        logger: SILENT,
        admit: async () => ({ retryAfterSeconds: 1 }),
      });
      const call = createCaller(affkit);
      const statusOf = async (path: string, headers: Record<string, string>) =>
        (await call('POST', path, { affiliate_url: LANDING, click_id: click }, headers)).status;
      const click = await world.click('anna');
      for (const authorization of ['x', '', 'Bearer ', 'Bearer aff_x', `Bearer affk_${token.slice(4)}`]) {
        expect([await statusOf(CLICK, { authorization }), await statusOf(LEAD, { authorization })]).toEqual([
          429, 429,
        ]);
      }
      expect(await statusOf(CLICK, {})).toBe(429);
      expect(await statusOf(LEAD, { authorization: `Bearer ${token}` })).toBe(200);
    });

    const spyOnCallbacks = () => {
      const userAgents: string[] = [];
      const ips: string[] = [];
      const affkit = createAffkit({
        engine: world.engine,
        secret: SECRET,
        now: () => START,
        logger: SILENT,
        readDevice: (userAgent) => {
          userAgents.push(userAgent);
          return { type: 'desktop', os: null, browser: null };
        },
        locate: (ip) => {
          ips.push(ip);
          return null;
        },
      });
      return { call: createCaller(affkit), userAgents, ips };
    };

    test('truncates the user agent to 256 characters before it is parsed', async () => {
      const { call, userAgents } = spyOnCallbacks();
      const user_agent = 'y'.repeat(10_000);
      await call('POST', CLICK, { affiliate_url: LANDING }, { 'user-agent': 'x'.repeat(10_000) });
      await call('POST', CLICK, { affiliate_url: LANDING, user_agent });
      expect(userAgents).toEqual(['x'.repeat(256), 'y'.repeat(256)]);
    });

    test('parses the user agent and locates the IP address only for clicks that it records', async () => {
      const { call, userAgents, ips } = spyOnCallbacks();
      await world.engine.write(world.workspaceId, async ({ db }) => {
        await db.updateTable('links').set({ status: 'inactive' }).where('short_link', '=', 'ben').execute();
      });
      const headers = { 'user-agent': FIREFOX };
      const click = (body: object, origin?: string) =>
        call('POST', CLICK, body, { ...headers, ...(origin && { origin }) });
      const test_mode = { additional_data: { test_mode: true, program_id: 999_999 } };
      const refused = [
        await click({ affiliate_url: 'https://shop.example/?aff=nobody' }),
        await click({ affiliate_url: 'https://shop.example/?aff=ben' }),
        await click({ affiliate_url: LANDING }, 'https://evil.example'),
        await click({ affiliate_url: LANDING, ...test_mode }),
      ];
      expect(refused.map(({ body }) => body['code'])).toEqual([
        'referral_link_not_found',
        'link_inactive',
        'origin_not_allowed',
        'test_program_not_found',
      ]);
      expect(userAgents).toEqual([]);
      expect(ips).toEqual([]);

      expect((await click({ affiliate_url: LANDING })).status).toBe(200);
      expect(userAgents).toEqual([FIREFOX]);
      expect(ips).toHaveLength(1);
    });

    test.each([undefined, null, 5, '', ' \t'])(
      'uses the User-Agent header when user_agent is %j',
      async (user_agent) => {
        const headers = { 'user-agent': FIREFOX };
        await world.call('POST', CLICK, { affiliate_url: LANDING, user_agent }, headers);
        const event = await world.engine.read.selectFrom('click_events').selectAll().executeTakeFirst();
        expect(event).toMatchObject({ browser_name: 'Firefox', device_os: 'Windows' });
      },
    );

    test('reads no body before the credential is checked', async () => {
      const program = `/api/advertiser/affiliate-programs/${world.program.id}`;
      for (const path of [
        '/api/v1/track/sale',
        '/api/v1/track/exists',
        `${program}/partners/import`,
        `${program}/commissions/bulk`,
      ]) {
        const read = vi.fn(() => Promise.resolve(new Uint8Array()));
        const reply = await world.affkit.handle({
          method: 'POST',
          path,
          query: new URLSearchParams(),
          header: (name) => (name === 'authorization' ? `Bearer aff_${'0'.repeat(36)}` : undefined),
          body: read,
          ip: null,
          secure: true,
        });
        expect([path, reply?.status, read.mock.calls.length]).toEqual([path, 401, 0]);
      }
    });

    test('rejects days that do not exist in the date range of the event list', async () => {
      const { authorization } = await signInOwner(world);
      const path = `/api/tracking/events/${world.program.id}`;
      for (const date of ['2026-02-30', '2026-02-30T00:00:00Z', '2026-02-30T00:00:00+02:00']) {
        const query = `dateFrom=${encodeURIComponent(date)}`;
        expect((await world.call('GET', `${path}?${query}`, undefined, { authorization })).status).toBe(400);
      }
    });

    test.each([
      ['GET', CLICK, 'POST, OPTIONS'],
      ['OPTIONS', '/api/v1/track/sale', 'POST'],
      ['POST', '/api/v1/cli/status', 'GET, HEAD'],
      ['DELETE', '/api/advertiser/workspaces', 'GET, HEAD, POST'],
    ])('%s %s returns 405 with the allowed methods', async (method, path, allow) => {
      const reply = await world.call(method, path);
      expect([reply.status, reply.body['code'], reply.headers['allow']]).toEqual([
        405,
        'method_not_allowed',
        allow,
      ]);
    });

    test('rejects a link of another program if the click names the program of the page', async () => {
      const foreign = await addProgram(world, await addWorkspaceInSameLane(world), 'carl');
      await world.engine.write(1, (tx) =>
        tx.db
          .updateTable('programs')
          .set({ allowed_origins: '["*"]', cookie_domain: 'aff.example' })
          .where('id', '=', foreign.program.id)
          .execute(),
      );
      const headers = { 'sec-fetch-site': 'same-site', origin: 'https://shop.example' };
      const visit = (code: string, additional_data: object) =>
        world.call(
          'POST',
          CLICK,
          { affiliate_url: `https://shop.example/?aff=${code}`, additional_data },
          headers,
        );
      const count = async () =>
        (await world.engine.read.selectFrom('click_events').select('id').execute()).length;
      // The first round reads the links from the database, the second round from the cache.
      for (const recorded of [1, 2]) {
        const [ours, ...theirs] = await Promise.all([
          visit('anna', { program_id: world.program.id }),
          visit('carl', { program_id: world.program.id, idempotency_key: 'k' }),
          visit('carl', { program_id: `${world.program.id}` }),
          visit('carl', { program_id: 999 }),
        ]);
        expect(ours.status).toBe(200);
        for (const { status, body, headers: sent } of theirs) {
          expect([status, body['code'], sent['set-cookie']]).toEqual([
            400,
            'referral_link_not_found',
            undefined,
          ]);
          expect(body['error']).toBe(
            'Referral link belongs to a different program than additional_data.program_id',
          );
        }
        expect(await count()).toBe(recorded);
      }
      for (const own of [
        { program_id: foreign.program.id, idempotency_key: 'k' },
        { program_id: 'abc' },
        {},
      ]) {
        const reply = await visit('carl', own);
        expect([reply.status, reply.headers['set-cookie']]).toEqual([200, expect.any(String)]);
      }
    });

    test.each([['abc'], [-1], [1.5], [{}], [[]], [true]])(
      'ignores a program_id of %j',
      async (program_id) => {
        const additional_data = { program_id };
        expect((await world.call('POST', CLICK, { affiliate_url: LANDING, additional_data })).status).toBe(
          200,
        );
        const test_mode = { ...additional_data, test_mode: true };
        const known = await world.call('POST', CLICK, { affiliate_url: LANDING, additional_data: test_mode });
        expect(known.body['data']).toMatchObject({ programId: world.program.id });
        const unknown = await world.call('POST', CLICK, {
          affiliate_url: 'https://shop.example/?aff=nobody',
          additional_data: test_mode,
        });
        expect([unknown.status, unknown.body['error']]).toEqual([400, 'program_id is required in test mode']);
      },
    );
  });
}
