import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { insertRefusals } from '../../src/storage/tracking/refusals.ts';
import { RefusalLog } from '../../src/tracking/refusal-log.ts';
import type { OpenEngine } from '../support/engine-kinds.ts';
import { SILENT } from '../support/silent-logger.ts';
import {
  addProgram,
  addWorkspaceInSameLane,
  makeWorld,
  START,
  signInOwner,
  type World,
} from '../support/world.ts';

export function refusalsContract(kind: string, open: OpenEngine): void {
  describe(`rejected tracking calls on ${kind}`, () => {
    let world: World;
    let session: Record<string, string>;
    beforeAll(async () => {
      world = await makeWorld(await open());
      session = await signInOwner(world);
    });
    afterAll(() => world.affkit.close());

    const list = async (query = '', programId = world.program.id) => {
      const path = `/api/advertiser/affiliate-programs/${programId}/refusals${query}`;
      const reply = await world.call('GET', path, undefined, session);
      expect(reply.status).toBe(200);
      return reply.body['data'] as Record<string, unknown>[];
    };
    const sendClick = (fields: Record<string, unknown>, headers?: Record<string, string>) =>
      world.call(
        'POST',
        '/api/v1/track/click',
        { affiliate_url: 'https://shop.example/?aff=anna', ...fields },
        headers,
      );
    const clear = () => world.engine.write(0, ({ db }) => db.deleteFrom('refusals').execute());

    test('lists calls of all four routes with code, reason and known fields, newest first', async () => {
      const click = await world.click('anna');
      await sendClick(
        { affiliate_url: 'https://shop.example/a?aff=anna&mail=x@y.example' },
        { origin: 'https://evil.example' },
      );
      await world.call('POST', '/api/v1/track/lead', {
        click_id: `${click.slice(0, -4)}0000`,
        email: 'eve@mail.example',
      });
      await world.track('sale', {
        transaction_id: 't1',
        amount_cents: 12.5,
        customer_key: 'Eve@mail.example',
        extra: 'x',
      });
      const last = await world.track('refund', { transaction_id: 'unknown', refund_reason: 'private' });
      await world.track('sale', '{"transaction_id": ');
      const row = {
        id: expect.any(Number),
        refused_at: new Date(START).toISOString(),
        request_id: expect.any(String),
      };
      expect(await list()).toEqual([
        {
          ...row,
          route: 'sale',
          status: 400,
          code: 'invalid_json',
          reason: 'Invalid JSON body',
          has_token: true,
          body: {},
        },
        {
          ...row,
          route: 'refund',
          status: 404,
          code: 'sale_not_found',
          reason: 'Sale not found for transaction_id',
          request_id: last.body['request_id'],
          has_token: true,
          body: { transaction_id: 'unknown' },
        },
        {
          ...row,
          route: 'sale',
          status: 400,
          code: 'amount_cents_required',
          reason: 'amount_cents is required and must be a positive integer',
          has_token: true,
          body: { transaction_id: 't1', amount_cents: 12.5, customer_key: 'E***@mail.example' },
        },
        {
          ...row,
          route: 'lead',
          status: 400,
          code: 'lead_customer_not_found',
          reason: 'Customer not found. Provide a valid click_id or customer_key.',
          has_token: false,
          body: { click_id: `${click.slice(0, -4)}0000` },
        },
        {
          ...row,
          route: 'click',
          status: 403,
          code: 'origin_not_allowed',
          reason: 'Origin not allowed',
          has_token: false,
          body: { affiliate_url: 'https://shop.example/a', partner_code: 'anna' },
        },
      ]);
    });

    test('supports filters by code and text, and pages', async () => {
      expect(await list('?code=sale_not_found')).toMatchObject([{ route: 'refund' }]);
      expect(await list('?q=UNKNOWN')).toMatchObject([{ route: 'refund' }]);
      expect(await list('?q=eve%40mail.example')).toMatchObject([{ route: 'sale' }]);
      expect(await list('?q=100%25')).toEqual([]);
      expect(await list('?page=2&pageSize=2')).toMatchObject([{ route: 'sale' }, { route: 'lead' }]);
    });

    test('lists a click on an inactive link, and cuts long texts', async () => {
      await clear();
      const path = `/api/advertiser/affiliate-programs/${world.program.id}/partners/${world.ben.partnerId}`;
      await world.call('PUT', path, { status: 'banned' }, session);
      const pageUrl = `https://shop.example/${'a'.repeat(1_000)}`;
      await sendClick({ affiliate_url: 'https://shop.example/?aff=ben', page_url: pageUrl });
      await world.track('sale', { transaction_id: `aff_${'a'.repeat(36)}\u0000\ud800`, amount_cents: '1' });
      const [sale, click] = await list();
      expect(sale?.['body']).toEqual({ transaction_id: 'aff_…', amount_cents: '1' });
      expect(click).toMatchObject({ status: 200, code: 'link_inactive' });
      expect(click?.['body']).toMatchObject({ partner_code: 'ben', page_url: pageUrl.slice(0, 255) });
    });

    test('shows a number as a string if it is too large', async () => {
      await clear();
      await world.track('sale', '{"transaction_id": "t1", "amount_cents": 1e400, "tax_cents": -1e400}');
      const body = { transaction_id: 't1', amount_cents: 'Infinity', tax_cents: '-Infinity' };
      expect(await list()).toMatchObject([{ code: 'amount_cents_required', body }]);
    });

    test('shows a call only to the workspace of the program that it names', async () => {
      await clear();
      const other = await addProgram(world, await addWorkspaceInSameLane(world), 'cora');
      const sale = { transaction_id: 't2', amount_cents: 1, click_id: await world.click('anna') };
      await world.call('POST', '/api/v1/track/sale', sale, { authorization: other.authorization });
      await world.call('POST', '/api/v1/track/sale', sale, { authorization: 'Bearer aff_wrong' });
      await sendClick({ affiliate_url: 'https://shop.example/?aff=no-such-link' });
      await sendClick({ affiliate_url: 'https://shop.example/' });
      await sendClick({
        affiliate_url: 'https://shop.example/?aff=no-such-link',
        additional_data: { program_id: 999 },
      });
      expect(await list()).toEqual([]);
      expect(await list('', other.program.id)).toMatchObject([{ code: 'no_affiliate_attribution' }]);
    });

    test('keeps the last 1,000 calls, and reserves half of them for calls with the token', async () => {
      await clear();
      const row = (index: number, has_token: 0 | 1) => ({
        program_id: world.program.id,
        route: 'click' as const,
        code: 'origin_not_allowed',
        reason: 'r',
        request_id: String(index),
        has_token,
        body: '{}',
        search_text: '',
        refused_at: START,
      });
      const add = (from: number, count: number, hasToken: 0 | 1) =>
        world.engine.write(0, (tx) =>
          insertRefusals(
            tx,
            Array.from({ length: count }, (_, index) => row(from + index, hasToken)),
          ),
        );
      const kept = async () => {
        const rows = await world.engine.read
          .selectFrom('refusals')
          .select(['request_id', 'has_token'])
          .execute();
        const numbers = (hasToken: 0 | 1) =>
          rows.filter(({ has_token }) => has_token === hasToken).map(({ request_id }) => Number(request_id));
        return { total: rows.length, tokens: numbers(1), others: numbers(0) };
      };
      await add(0, 600, 1);
      await add(600, 1_500, 0);
      const { total, tokens, others } = await kept();
      expect([total, tokens.length, Math.min(...tokens)]).toEqual([1_000, 500, 100]);
      expect([others.length, Math.min(...others)]).toEqual([500, 1_600]);
      await add(2_100, 1_000, 1);
      expect(await kept()).toMatchObject({ total: 1_000, tokens: { length: 500 }, others: { length: 500 } });
    });

    test('drops calls instead of waiting when the database is slow or fails', async () => {
      await clear();
      let isSlow = true;
      const { promise: slow, resolve: finishWrite } = Promise.withResolvers<void>();
      const engine = {
        ...world.engine,
        write: (async (...args: Parameters<typeof world.engine.write>) => {
          if (isSlow) await slow;
          return await world.engine.write(...args);
        }) as typeof world.engine.write,
      };
      const log = new RefusalLog({ engine, now: () => START, log: SILENT });
      const call = (programId: number) =>
        log.add({
          route: 'sale',
          target: { programId },
          hasToken: true,
          code: 'sale_customer_not_found',
          reason: 'r',
          requestId: 'r',
          readBody: () => ({}),
        });
      for (let index = 0; index < 2_000; index++) call(world.program.id);
      const flushed = log.flush();
      for (let index = 0; index < 2_000; index++) call(world.program.id);
      finishWrite();
      isSlow = false;
      await flushed;
      expect(await list('?pageSize=1')).toHaveLength(1);
      const { n } = await world.engine.read
        .selectFrom('refusals')
        .select((eb) => eb.fn.countAll<number>().as('n'))
        .executeTakeFirstOrThrow();
      expect(n).toBe(500);
      const failing = { ...engine, write: () => Promise.reject(new Error('the disk is full')) };
      const failingLog = new RefusalLog({ engine: failing, now: () => START, log: SILENT });
      failingLog.add({
        route: 'sale',
        target: { programId: world.program.id },
        hasToken: true,
        code: 'c',
        reason: 'r',
        requestId: 'r',
        readBody: () => ({}),
      });
      await expect(failingLog.close()).resolves.toBeUndefined();
    });
  });
}
