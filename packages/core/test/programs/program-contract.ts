import { describe, expect, it } from 'vitest';
import type { OpenEngine } from '../support/engine-kinds.ts';
import { countStatuses, runConcurrently } from '../support/management-world.ts';
import {
  type ListOf,
  PROGRAM_DRAFT,
  PROGRAMS,
  ProgramClient,
  type ProgramData,
} from '../support/program-client.ts';
import { sampleSale } from '../support/sample-rows.ts';

export function programContract(open: OpenEngine): void {
  const client = new ProgramClient(open);
  const { get, post, put, remove, createProgram } = client;
  const refundWith = (token: string) =>
    client.world.call('POST', '/api/v1/track/refund', { token, body: { transaction_id: 'none' } });

  describe('workspaces', () => {
    it('a user owns all workspaces that the user creates, even if 20 are created concurrently', async () => {
      const { token } = await client.world.owner();
      const replies = await runConcurrently(20, (index) =>
        post('/api/advertiser/workspaces', { name: `W${index}` }, token),
      );
      expect(countStatuses(replies)).toEqual({ 201: 20 });
      const list = await get<ListOf<{ role: string }>>(
        '/api/advertiser/workspaces?page=2&pageSize=15',
        token,
      );
      expect(list.body.meta).toEqual({ pagination: { page: 2, pageSize: 15, pageCount: 2, total: 21 } });
      expect(list.body.data.map((row) => row.role)).toEqual(Array(6).fill('owner'));
    });

    it('a user who has several workspaces must send workspace_id', async () => {
      const user = await client.world.owner();
      const second = await post<ProgramData>('/api/advertiser/workspaces', { name: 'Second' }, user.token);
      expect(await post(PROGRAMS, PROGRAM_DRAFT, user.token)).toMatchObject({
        status: 400,
        body: { error: 'workspace_id is required', code: 'workspace_required' },
      });
      const workspaceId = second.body.data.id;
      expect(await post(PROGRAMS, { ...PROGRAM_DRAFT, workspace_id: workspaceId }, user.token)).toMatchObject(
        {
          status: 201,
          body: { data: { workspace_id: workspaceId } },
        },
      );
      await createProgram({ workspace_id: user.workspaceId }, user.token);
      expect(await get(PROGRAMS, user.token)).toMatchObject({ body: { meta: { pagination: { total: 2 } } } });
      expect(await get(`${PROGRAMS}?workspace_id=${workspaceId}`, user.token)).toMatchObject({
        body: { meta: { pagination: { total: 1 } } },
      });
      expect(await get(`${PROGRAMS}?workspace_id=${client.owner.workspaceId}`, user.token)).toMatchObject({
        status: 404,
        body: { code: 'workspace_not_found' },
      });
      for (const workspace_id of [client.owner.workspaceId, 99_999_999]) {
        expect(await post(PROGRAMS, { ...PROGRAM_DRAFT, workspace_id }, user.token)).toMatchObject({
          status: 404,
          body: { error: 'Workspace not found', code: 'workspace_not_found' },
        });
      }
    });
  });

  describe('a program', () => {
    it('is created with the documented defaults, and shows its token only in the response to its creation', async () => {
      const created = await post<ProgramData>(PROGRAMS, { ...PROGRAM_DRAFT, name: 'Café & Söhne' });
      const { id, api_token: token } = created.body.data;
      const row = {
        id,
        workspace_id: client.owner.workspaceId,
        name: 'Café & Söhne',
        slug: 'cafe-sohne',
        site_url: 'https://shop.example/start',
        status: 'draft',
        cookie_window_days: 60,
        attribution_model: 'last_click',
        hold_days: 0,
        currency: 'USD',
        allowed_origins: ['https://shop.example'],
        cookie_domain: null,
        browser_leads: 'all',
        claimed_keys: 'review',
        require_origin: false,
        min_sale_cents: 0,
        commission_base: 'total',
        api_token_masked: `${token.slice(0, 8)}…${token.slice(-4)}`,
        created_at: new Date(client.world.clock.now).toISOString(),
        data_since: new Date(client.world.clock.now).toISOString(),
      };
      expect(token).toMatch(/^aff_[0-9A-Za-z]{36}$/);
      expect(created).toMatchObject({
        status: 201,
        body: { success: true, data: { ...row, api_token: token } },
      });
      expect((await get(`${PROGRAMS}/${id}`)).body).toEqual({ success: true, data: row });
      const list = await get<ListOf<{ id: number }>>(`${PROGRAMS}?pageSize=100`);
      expect(list.body.data.find((program) => program.id === id)).toEqual(row);
      expect(await refundWith(token)).toMatchObject({ status: 404, body: { code: 'sale_not_found' } });
      const stored = JSON.stringify([
        await client.world.engine.read.selectFrom('programs').selectAll().execute(),
        await client.world.engine.read.selectFrom('tracking_tokens').selectAll().execute(),
      ]);
      expect(stored).not.toContain(token);
    });

    it('stores changed settings, and a repeated change has no further effect', async () => {
      const { id } = await createProgram();
      const change = {
        name: 'Other',
        slug: `other-${id}`,
        site_url: 'https://other.example/',
        cookie_window_days: 30,
        attribution_model: 'first_click',
        hold_days: 14,
        currency: 'eur',
        allowed_origins: ['https://a.example', '*'],
        cookie_domain: '.Other.example',
        browser_leads: 'off',
      };
      const expected = { ...change, currency: 'EUR', cookie_domain: 'other.example', status: 'draft' };
      expect(await put(`${PROGRAMS}/${id}`, change)).toMatchObject({ status: 200, body: { data: expected } });
      const replies = await runConcurrently(20, () => put(`${PROGRAMS}/${id}`, change));
      expect(countStatuses(replies)).toEqual({ 200: 20 });
      const again = await put<ProgramData>(`${PROGRAMS}/${id}`, change);
      expect(again).toMatchObject({ status: 200, body: { data: expected } });
      expect(await put(`${PROGRAMS}/${id}`, { name: null })).toEqual({
        ...again,
        headers: expect.anything(),
      });
    });

    it.each([
      ['https://shop.example\\a', 'https://shop.example/a'],
      ['https://shop.ex\nample/\t"<b>', 'https://shop.example/%22%3Cb%3E'],
      ['HTTPS://Shop.Example:443/a/../b?c d#e f', 'https://shop.example/b?c%20d#e%20f'],
      [' https://shop.example ', 'https://shop.example/'],
    ])('stores site_url %j in the form that browsers give it', async (site_url, stored) => {
      const { id, ...created } = await createProgram({ site_url });
      expect(created).toMatchObject({ site_url: stored, allowed_origins: ['https://shop.example'] });
      expect(await put(`${PROGRAMS}/${id}`, { site_url })).toMatchObject({
        status: 200,
        body: { data: { site_url: stored } },
      });
    });

    it.each([
      [{ site_url: 'javascript:alert(1)//https://shop.example' }, 'site_url must be an http or https URL'],
      [{ site_url: 'ht\ntps://shop.example' }, 'site_url must be an http or https URL'],
      [{ site_url: 'https:\\\\shop.example' }, 'site_url must be an http or https URL'],
      [{ site_url: `https://shop.example/${' "'.repeat(600)}x` }, 'site_url must be at most 2048 characters'],
      [{ name: undefined }, 'name must be a string of 1 to 255 characters'],
      [{ name: 'a\u202eb' }, 'name must not contain control or bidirectional characters'],
      [{ site_url: 'ftp://shop.example' }, 'site_url must be an http or https URL'],
      [{ site_url: 'https://shop.example/\0' }, 'site_url must not contain NUL or lone surrogates'],
      [{ site_url: 'https://shop.example/\ud800' }, 'site_url must not contain NUL or lone surrogates'],
      [
        { commission: undefined },
        'commission must be {type: "percent", rate} or {type: "flat", amount_cents}',
      ],
      [{ commission: { type: 'percent', rate: 12.345 } }, 'rate must have at most two decimals'],
      [{ commission: { type: 'percent', rate: 101 } }, 'rate must be a number from 0 to 100'],
      [{ cookie_window_days: 0 }, 'cookie_window_days must be an integer from 1 to 365'],
      [{ currency: 'XXX' }, 'currency must be an ISO 4217 code, e.g. USD'],
      [{ cookie_domain: 'co.uk' }, 'cookie_domain must not be a public suffix such as com or co.uk'],
      [{ cookie_domain: 'localhost' }, 'cookie_domain must not be a public suffix such as com or co.uk'],
      [{ cookie_domain: 'github.io' }, 'cookie_domain must not be a public suffix such as com or co.uk'],
    ])('is rejected with %j, and the error gives the reason', async (fields, error) => {
      const body = { ...PROGRAM_DRAFT, ...fields };
      expect(await post(PROGRAMS, body)).toMatchObject({
        status: 400,
        body: { error, code: 'invalid_field' },
      });
    });

    it('gets a unique slug when programs with the same name are created concurrently', async () => {
      const programs = await runConcurrently(20, () => createProgram({ name: 'Twins' }));
      expect(new Set(programs.map((program) => program.slug)).size).toBe(20);
      expect(programs.map((program) => program.slug)).toContain('twins');
    });

    it('cannot use the slug of another program, even with 20 concurrent requests', async () => {
      const replies = await runConcurrently(20, () => post(PROGRAMS, { ...PROGRAM_DRAFT, slug: 'the-one' }));
      expect(countStatuses(replies)).toEqual({ 201: 1, 409: 19 });
      const { id } = await createProgram();
      expect(await put(`${PROGRAMS}/${id}`, { slug: 'the-one', name: 'Renamed' })).toMatchObject({
        status: 409,
        body: { error: 'slug is already in use', code: 'slug_taken' },
      });
      expect(await get(`${PROGRAMS}/${id}`)).toMatchObject({ body: { data: { name: 'Shop' } } });
    });

    it('cannot change its currency after the first sale that is not a test', async () => {
      const { id } = await createProgram();
      const addSale = (isTest: 0 | 1) =>
        client.world.engine.write(client.owner.workspaceId, (tx) =>
          tx.db
            .insertInto('sales')
            .values({
              ...sampleSale(id, client.world.clock.now),
              processor_event_id: `txn-${id}`,
              is_test: isTest,
            })
            .execute(),
        );
      await addSale(1);
      expect(await put(`${PROGRAMS}/${id}`, { currency: 'EUR' })).toMatchObject({ status: 200 });
      await addSale(0);
      expect(await put(`${PROGRAMS}/${id}`, { currency: 'GBP', name: 'X' })).toMatchObject({
        status: 409,
        body: { code: 'currency_immutable' },
      });
      expect(await put(`${PROGRAMS}/${id}`, { currency: 'EUR' })).toMatchObject({ status: 200 });
      expect(await get(`${PROGRAMS}/${id}`)).toMatchObject({
        body: { data: { name: 'Shop', currency: 'EUR' } },
      });
    });

    it('several go-live requests all succeed, and the program is live', async () => {
      const { id } = await createProgram();
      const replies = await runConcurrently(20, () => post(`${PROGRAMS}/${id}/go-live`));
      expect(countStatuses(replies)).toEqual({ 200: 20 });
      expect(await post(`${PROGRAMS}/${id}/go-live`)).toMatchObject({
        body: { data: { id, status: 'live' } },
      });
    });

    it('has one tracking token: a new one invalidates the previous one immediately', async () => {
      const { id, api_token: first } = await createProgram();
      const path = `${PROGRAMS}/${id}/regenerate-api-token`;
      const second = await post<ProgramData>(path);
      const token = second.body.data.api_token;
      expect(second.body).toEqual({
        success: true,
        data: { api_token: token, api_token_masked: `${token.slice(0, 8)}…${token.slice(-4)}` },
      });
      expect(await refundWith(first)).toMatchObject({ status: 401, body: { code: 'token_invalid' } });
      expect(await refundWith(token)).toMatchObject({ status: 404 });

      const many = await runConcurrently(20, () => post<ProgramData>(path));
      const accepted = await Promise.all(many.map((reply) => refundWith(reply.body.data.api_token)));
      expect(countStatuses(accepted)).toEqual({ 401: 19, 404: 1 });
    });

    it('after a program is deleted, neither its owner nor its token finds it', async () => {
      const { id, api_token: token } = await createProgram();
      expect(countStatuses(await runConcurrently(20, () => remove(`${PROGRAMS}/${id}`)))).toEqual({
        200: 1,
        404: 19,
      });
      expect(await remove(`${PROGRAMS}/${id}`)).toMatchObject({
        status: 404,
        body: { code: 'program_not_found' },
      });
      expect(await get(`${PROGRAMS}/${id}`)).toMatchObject({ status: 404 });
      expect(await refundWith(token)).toMatchObject({ status: 401, body: { code: 'token_invalid' } });
      const list = await get<ListOf<{ id: number }>>(`${PROGRAMS}?pageSize=100`);
      expect(list.body.data.some((program) => program.id === id)).toBe(false);
    });

    it('cannot be deleted while a partner has a balance in it', async () => {
      const { id } = await createProgram();
      await client.world.engine.write(client.owner.workspaceId, (tx) =>
        tx.db
          .insertInto('balances')
          .values({ program_id: id, partner_id: 1, currency: 'USD', balance_cents: -5 })
          .execute(),
      );
      expect(await remove(`${PROGRAMS}/${id}`)).toMatchObject({
        status: 409,
        body: { code: 'program_has_balance' },
      });
      expect(await get(`${PROGRAMS}/${id}`)).toMatchObject({ status: 200 });
    });
  });

  describe('lists', () => {
    it('return pages of at most 100', async () => {
      const user = await client.world.owner();
      for (let index = 0; index < 3; index++) await createProgram({}, user.token);
      const page = async (query: string) =>
        (await get<ListOf<unknown>>(`${PROGRAMS}${query}`, user.token)).body;
      expect((await page('?page=2&pageSize=2')).data).toHaveLength(1);
      expect((await page('?page=2&pageSize=2')).meta).toEqual({
        pagination: { page: 2, pageSize: 2, pageCount: 2, total: 3 },
      });
      expect((await page('?pageSize=500')).meta).toEqual({
        pagination: { page: 1, pageSize: 100, pageCount: 1, total: 3 },
      });
      expect((await page('?page=99999999999999999999')).data).toEqual([]);
      for (const query of ['?page=0', '?page=x', '?pageSize=0', '?pageSize=-1', '?page=1.5', '?page=']) {
        expect(await get(`${PROGRAMS}${query}`, user.token)).toMatchObject({ status: 400 });
      }
    });
  });
}
