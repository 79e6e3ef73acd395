import { describe, expect, it } from 'vitest';
import type { OpenEngine } from '../support/engine-kinds.ts';
import { countStatuses, runConcurrently } from '../support/management-world.ts';
import { type ListOf, PROGRAMS, ProgramClient, type ProgramData } from '../support/program-client.ts';

export function policyContract(open: OpenEngine): void {
  const client = new ProgramClient(open);
  const { get, post, put, remove, createProgram } = client;

  describe('commission policies', () => {
    const setUp = async () => {
      const { id } = await createProgram();
      const partner = await post<ProgramData>(`${PROGRAMS}/${id}/partners`, {
        name: 'Pat',
        email: `p${id}@partner.test`,
      });
      return { path: `${PROGRAMS}/${id}/commission-policies`, partnerId: partner.body.data.id };
    };

    it('the list contains the default policy, which cannot be deleted', async () => {
      const { path } = await setUp();
      const list = await get<ListOf<{ id: number }>>(path);
      expect(list.body.data).toEqual([
        {
          id: expect.any(Number),
          type: 'percent',
          rate: 12.5,
          product_id: null,
          partner_id: null,
          partner_name: null,
          recurring_months: null,
          is_default: true,
          version: 1,
          created_at: new Date(client.world.clock.now).toISOString(),
        },
      ]);
      expect(await remove(`${path}/${list.body.data[0]?.id}`)).toMatchObject({
        status: 409,
        body: { code: 'conflict' },
      });
    });

    it('only one policy exists per product and partner, even with 20 concurrent requests', async () => {
      const { path, partnerId } = await setUp();
      const body = {
        type: 'flat',
        amount_cents: 500,
        product_id: 'pro',
        partner_id: partnerId,
        recurring_months: 3,
      };
      const replies = await runConcurrently(20, () => post(path, body));
      expect(countStatuses(replies)).toEqual({ 201: 1, 409: 19 });
      expect(replies.find((reply) => reply.status === 201)).toMatchObject({
        body: { data: { ...body, is_default: false, version: 1 } },
      });
      expect(await post(path, { type: 'percent', rate: 1 })).toMatchObject({ status: 409 });
      expect(await post(path, { type: 'percent', rate: 1, partner_id: partnerId + 1000 })).toMatchObject({
        status: 400,
        body: { error: 'partner_id must be a partner of the program' },
      });
    });

    it('a policy gets a new version for each change of its terms', async () => {
      const { path } = await setUp();
      const created = await post<ProgramData>(path, { type: 'percent', rate: 10, product_id: 'pro' });
      const { id } = created.body.data;
      const change = { type: 'flat', amount_cents: 700 };
      expect(await put(`${path}/${id}`, change)).toMatchObject({
        status: 200,
        body: { data: { version: 2 } },
      });
      // Sending the stored terms again creates no new version.
      expect(await put(`${path}/${id}`, change)).toMatchObject({
        status: 200,
        body: { data: { version: 2 } },
      });
      const many = await runConcurrently(20, (index) =>
        put<{ data: { version: number } }>(`${path}/${id}`, { type: 'percent', rate: index }),
      );
      expect(many.map((reply) => reply.body.data.version).sort((a, b) => a - b)).toEqual(
        Array.from({ length: 20 }, (_, index) => index + 3),
      );
      const stored = await client.world.engine.read
        .selectFrom('policy_versions')
        .select('version')
        .where('policy_id', '=', id)
        .execute();
      expect(stored).toHaveLength(22);
    });

    it('are searched, filtered and sorted', async () => {
      const { path, partnerId } = await setUp();
      const { body } = await post<ProgramData>(`${path.replace(/commission-policies$/, 'partners')}`, {
        name: 'Quinn',
        email: `q-${partnerId}@partner.test`,
      });
      const quinn = body.data.id;
      const add = async (fields: object) => (await post<ProgramData>(path, fields)).body.data.id;
      const [standard = 0] = (await get<ListOf<{ id: number }>>(path)).body.data.map(({ id }) => id);
      const pro = await add({ type: 'flat', amount_cents: 500, product_id: 'Pro' });
      const pat = await add({ type: 'percent', rate: 10, partner_id: partnerId });
      const basic = await add({ type: 'percent', rate: 30, product_id: 'basic', partner_id: quinn });
      const deleted = await add({ type: 'flat', amount_cents: 1, product_id: 'pro-old' });
      await remove(`${path}/${deleted}`);
      await put(`${path}/${pat}`, { type: 'flat', amount_cents: 100 });
      for (const [query, ids] of [
        ['', [standard, pro, pat, basic]],
        ['order=desc&pageSize=2', [basic, pat]],
        ['q=PRO', [pro]],
        ['q=pat', [pat]],
        ['q=%25', []],
        ['type=flat', [pro, pat]],
        ['type=flat&q=qui', []],
        [`partner_id=${quinn}`, [standard, pro, basic]],
        ['sort=product_id', [standard, pat, basic, pro]],
        ['sort=partner_name&order=desc', [basic, pat, pro, standard]],
      ] as const) {
        const list = await get<ListOf<{ id: number }>>(`${path}?${query}`);
        expect([query, list.body.data.map(({ id }) => id)]).toEqual([query, ids]);
      }
      expect(await get(`${path}?sort=rate`)).toMatchObject({
        status: 400,
        body: { error: 'sort must be one of created_at, product_id, partner_name' },
      });
    });

    it('a policy can be deleted and created again', async () => {
      const { path } = await setUp();
      const body = { type: 'percent', rate: 10, product_id: 'pro' };
      const { id } = (await post<ProgramData>(path, body)).body.data;
      expect(countStatuses(await runConcurrently(20, () => remove(`${path}/${id}`)))).toEqual({
        200: 1,
        404: 19,
      });
      expect(await put(`${path}/${id}`, { type: 'percent', rate: 5 })).toMatchObject({ status: 404 });
      expect(await post(path, body)).toMatchObject({ status: 201 });
      expect((await get<ListOf<unknown>>(path)).body.data).toHaveLength(2);
    });
  });
}
