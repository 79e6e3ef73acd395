import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { insertPayout, updatePayout } from '../../src/storage/money/payouts.ts';
import type { OpenEngine } from '../support/engine-kinds.ts';
import {
  countStatuses,
  openWorld,
  runConcurrently,
  type SignedUp,
  type World,
} from '../support/management-world.ts';
import { sampleCommission, sampleSale } from '../support/sample-rows.ts';

const PROGRAMS = '/api/advertiser/affiliate-programs';
const DAY = 86_400_000;

interface Row {
  readonly data: { readonly id: number; readonly short_link: string; readonly links: readonly LinkData[] };
}
interface LinkData {
  readonly id: number;
  readonly short_link: string;
}
interface ListOf<T> {
  readonly data: readonly T[];
  readonly meta: unknown;
}

export function partnerContract(open: OpenEngine): void {
  let world: World;
  let owner: SignedUp & { readonly workspaceId: number };
  let programId: number;
  let partners: string;
  let links: string;

  beforeAll(async () => {
    world = await openWorld(open);
    owner = await world.owner();
  });
  afterAll(() => world.close());
  beforeEach(async () => {
    programId = await addProgram(owner.token);
    partners = `${PROGRAMS}/${programId}/partners`;
    links = `${PROGRAMS}/${programId}/links`;
  });

  const call = <T = Row>(method: string, path: string, body?: unknown, token = owner.token) =>
    world.call<T>(method, path, { token, body });
  async function addProgram(token: string): Promise<number> {
    const body = {
      name: 'Shop',
      site_url: 'https://shop.example/?ref=a',
      commission: { type: 'percent', rate: 10 },
    };
    return (await call('POST', PROGRAMS, body, token)).body.data.id;
  }
  const totalPartnersOfDay = async () => {
    const rows = await world.engine.read
      .selectFrom('daily_totals')
      .select(['partner_id', 'value'])
      .where('program_id', '=', programId)
      .where('measure', '=', 'partners')
      .execute();
    return rows.map((row) => [row.partner_id, row.value]);
  };
  const pat = { name: 'Pat Ö', email: 'Pat@Partner.test' };

  describe('a partner', () => {
    it('a new partner gets a first link and is counted in the totals', async () => {
      const code = `pat-${programId}`;
      const created = await call('POST', partners, { ...pat, code });
      const { id } = created.body.data;
      const row = {
        id,
        partner_program_id: expect.any(Number),
        name: 'Pat Ö',
        email: 'pat@partner.test',
        status: 'approved',
        status_reason: null,
        applied_at: null,
        balance_cents: 0,
        payable_cents: 0,
        balances: [],
        clicks: 0,
        leads: 0,
        conversions: 0,
        links: [
          {
            id: expect.any(Number),
            short_link: code,
            status: 'active',
            partner_id: id,
            url: `https://shop.example/?ref=a&aff=${code}`,
            clicks: 0,
            last_clicked: null,
          },
        ],
      };
      expect(created).toMatchObject({ status: 201, body: { success: true, data: row } });
      expect((await call('GET', partners)).body).toEqual({
        success: true,
        data: [row],
        meta: { pagination: { page: 1, pageSize: 10, pageCount: 1, total: 1 } },
      });
      expect(await totalPartnersOfDay()).toEqual([[0, 1]]);
    });

    it('a partner is enrolled once, even if 20 requests arrive concurrently', async () => {
      const replies = await runConcurrently(20, () => call('POST', partners, pat));
      expect(countStatuses(replies)).toEqual({ 200: 19, 201: 1 });
      expect(new Set(replies.map((reply) => reply.body.data.id)).size).toBe(1);
      const first = replies[0]?.body.data;
      expect(first?.links).toHaveLength(1);
      expect(first?.links[0]?.short_link).toMatch(/^pat-o-[0-9a-z]{8}$/);
      const code = first?.links[0]?.short_link;
      expect(await call('POST', partners, { ...pat, name: 'Other', code })).toMatchObject({
        status: 200,
        body: { data: { name: 'Pat Ö', links: [{ short_link: code }] } },
      });
      expect(await call('POST', partners, { ...pat, code: `new-${programId}` })).toMatchObject({
        status: 409,
        body: { code: 'conflict' },
      });
      expect(await totalPartnersOfDay()).toEqual([[0, 1]]);
    });

    it('an email identifies one partner in a workspace, and a different partner in another workspace', async () => {
      const first = (await call('POST', partners, pat)).body.data.id;
      const sibling = `${PROGRAMS}/${await addProgram(owner.token)}/partners`;
      expect(await call('POST', sibling, pat)).toMatchObject({ status: 201, body: { data: { id: first } } });
      const outsider = await world.owner();
      const foreignPartners = `${PROGRAMS}/${await addProgram(outsider.token)}/partners`;
      const foreignPartner = await call('POST', foreignPartners, pat, outsider.token);
      expect(foreignPartner.status).toBe(201);
      expect(foreignPartner.body.data.id).not.toBe(first);
    });

    it('a partner is not created when the link code is taken', async () => {
      const code = `taken-${programId}`;
      await call('POST', partners, { name: 'A', email: 'a@partner.test', code });
      expect(await call('POST', partners, { name: 'B', email: 'b@partner.test', code })).toMatchObject({
        status: 409,
        body: { error: 'short_link is already in use', code: 'short_link_taken' },
      });
      expect((await call<ListOf<unknown>>('GET', partners)).body.data).toHaveLength(1);
      expect(await totalPartnersOfDay()).toEqual([[0, 1]]);
      const stored = await world.engine.read
        .selectFrom('partners')
        .select('id')
        .where('workspace_id', '=', owner.workspaceId)
        .where('email', '=', 'b@partner.test')
        .execute();
      expect(stored).toEqual([]);
    });

    it("can change its name, email and status, but cannot use another partner's email", async () => {
      const email = (name: string) => `${name}-${programId}@partner.test`;
      const { id } = (await call('POST', partners, { name: 'A', email: email('a'), status: 'pending' })).body
        .data;
      await call('POST', partners, { name: 'B', email: email('b') });
      const change = { name: 'C', email: email('c'), status: 'banned' };
      const replies = await runConcurrently(20, () => call('PUT', `${partners}/${id}`, change));
      expect(countStatuses(replies)).toEqual({ 200: 20 });
      expect(await call('PUT', `${partners}/${id}`, {})).toMatchObject({
        status: 200,
        body: { data: change },
      });
      expect(await call('PUT', `${partners}/${id}`, { email: email('b'), status: 'approved' })).toMatchObject(
        {
          status: 409,
          body: { code: 'conflict' },
        },
      );
      expect(await call('PUT', `${partners}/${id}`, {})).toMatchObject({ body: { data: change } });
      for (const unknown of ['0', 'x', '99999999', '1.5']) {
        expect(await call('PUT', `${partners}/${unknown}`, change)).toMatchObject({
          status: 404,
          body: { code: 'not_found' },
        });
      }
    });

    it('the email of a partner with a user account cannot be changed', async () => {
      const { id } = (await call('POST', partners, { ...pat, email: `me-${programId}@partner.test` })).body
        .data;
      const { userId, token } = await world.signUp();
      await world.engine.write(owner.workspaceId, (tx) =>
        tx.db.updateTable('partners').set({ user_id: userId }).where('id', '=', id).execute(),
      );
      expect(await call('PUT', `${partners}/${id}`, { email: 'new@partner.test' })).toMatchObject({
        status: 409,
      });
      expect(await call('PUT', `${partners}/${id}`, { name: 'New' })).toMatchObject({ status: 200 });
      expect(await call('GET', '/api/auth/me', undefined, token)).toMatchObject({
        body: { workspaces: [], partners: [{ id, name: 'New', workspace_id: owner.workspaceId }] },
      });
    });

    it('shows the sum of its counters over all slots, and for each currency the balance and the payable amount', async () => {
      const { id, links: made } = (await call('POST', partners, { ...pat, email: 'sum@partner.test' })).body
        .data;
      const now = world.clock.now;
      const hold = { releasable_at: now + DAY };
      const past = { releasable_at: now };
      const commissions = [
        // Payable: a commission past its hold, a commission approved during its hold, and the rest of a
        // partly refunded commission.
        { amount_cents: 1000, ...past },
        { amount_cents: 300, ...hold, approved_at: now },
        { amount_cents: 500, deducted_cents: 200, status: 'refunded' as const, ...past },
        // Not payable: on hold, rejected, fully refunded, and in a payout.
        { amount_cents: 50, ...hold },
        { amount_cents: 7000, rejected_at: now, status: 'rejected' as const, ...hold },
        { amount_cents: 400, deducted_cents: 400, status: 'reversed' as const, ...past },
        { amount_cents: 60, payout_id: 1, ...past },
        { amount_cents: 9, currency: 'EUR', ...hold },
      ];
      await world.engine.write(owner.workspaceId, async (tx) => {
        const target = { program_id: programId, partner_id: id, currency: 'USD', created_at: now };
        const payout = await insertPayout(tx, target);
        await updatePayout(tx, payout, { amount_cents: 60 });
        for (const [index, commission] of commissions.entries()) {
          const sale = await tx.db
            .insertInto('sales')
            .values({ ...sampleSale(programId, now), processor_event_id: `t-${programId}-${index}` })
            .returning('id')
            .executeTakeFirstOrThrow();
          const version = await tx.db
            .selectFrom('policy_versions')
            .select('id')
            .where('program_id', '=', programId)
            .executeTakeFirstOrThrow();
          await tx.db
            .insertInto('commissions')
            .values({
              ...sampleCommission(programId, id, now),
              sale_id: sale.id,
              policy_version_id: version.id,
              ...commission,
            })
            .execute();
        }
        // A clawback of 100 lowers the balance.
        const balances = { USD: 1000 + 300 + 300 + 50 + 60 - 100, EUR: 9 };
        for (const [currency, balance_cents] of Object.entries(balances)) {
          await tx.db
            .insertInto('balances')
            .values({ program_id: programId, partner_id: id, currency, balance_cents })
            .execute();
        }
        const count = (
          subject: 'link' | 'partner',
          subject_id: number,
          measure: 'clicks' | 'leads' | 'conversions',
          slot: number,
          value: number,
        ) => ({ program_id: programId, subject, subject_id, measure, slot, value, last_at: now + slot });
        const linkId = made[0]?.id ?? 0;
        await tx.db
          .insertInto('counters')
          .values([
            count('partner', id, 'clicks', 1, 5),
            count('partner', id, 'clicks', 9, 6),
            count('partner', id, 'leads', 1, 3),
            count('partner', id, 'conversions', 2, 2),
            count('link', linkId, 'clicks', 1, 4),
            count('link', linkId, 'clicks', 9, 6),
            count('link', id + 1000, 'clicks', 1, 99),
          ])
          .execute();
      });
      const list = await call<ListOf<unknown>>('GET', partners);
      expect(list.body.data).toMatchObject([
        {
          id,
          balance_cents: 1610,
          payable_cents: 1500,
          balances: [
            { currency: 'EUR', balance_cents: 9, payable_cents: 0 },
            { currency: 'USD', balance_cents: 1610, payable_cents: 1500 },
          ],
          clicks: 11,
          leads: 3,
          conversions: 2,
          links: [{ clicks: 10, last_clicked: new Date(now + 9).toISOString() }],
        },
      ]);
    });
  });

  describe('a link', () => {
    const addPartner = async () =>
      (await call('POST', partners, { name: 'Lin', email: `lin-${programId}@partner.test` })).body.data;

    it('a link is created for a partner of the program, with a unique code', async () => {
      const { id } = await addPartner();
      const made = await runConcurrently(20, () => call('POST', links, { partner_id: id }));
      expect(countStatuses(made)).toEqual({ 201: 20 });
      expect(new Set(made.map((reply) => reply.body.data.short_link)).size).toBe(20);
      const chosen = await call('POST', links, { partner_id: id, short_link: `Case-${programId}` });
      expect(chosen.body).toEqual({
        success: true,
        data: {
          id: expect.any(Number),
          short_link: `Case-${programId}`,
          status: 'active',
          partner_id: id,
          url: `https://shop.example/?ref=a&aff=Case-${programId}`,
          clicks: 0,
          last_clicked: null,
        },
      });
      // Codes are unique regardless of case.
      expect(await call('POST', links, { partner_id: id, short_link: `case-${programId}` })).toMatchObject({
        status: 409,
        body: { code: 'short_link_taken' },
      });
      const list = await call<ListOf<LinkData>>('GET', `${links}?pageSize=5`);
      expect(list.body.meta).toEqual({ pagination: { page: 1, pageSize: 5, pageCount: 5, total: 22 } });
      expect(list.body.data[0]?.short_link).toBe(`Case-${programId}`);
    });

    it('the code of a link is unique in the service, even if 20 requests arrive concurrently', async () => {
      const { id } = await addPartner();
      const outsider = await world.owner();
      const theirProgram = await addProgram(outsider.token);
      const their = (await call('POST', `${PROGRAMS}/${theirProgram}/partners`, pat, outsider.token)).body
        .data;
      const short_link = `only-${programId}`;
      const replies = await runConcurrently(20, (index) =>
        index % 2 === 0
          ? call('POST', links, { partner_id: id, short_link })
          : call(
              'POST',
              `${PROGRAMS}/${theirProgram}/links`,
              { partner_id: their.id, short_link },
              outsider.token,
            ),
      );
      expect(countStatuses(replies)).toEqual({ 201: 1, 409: 19 });
      expect(await call('POST', links, { partner_id: id, short_link })).toMatchObject({
        status: 409,
        body: { code: 'short_link_taken' },
      });
      const stored = await world.engine.read
        .selectFrom('links')
        .select('id')
        .where('short_link', '=', short_link)
        .execute();
      expect(stored).toHaveLength(1);
    });

    it('can be deactivated and activated', async () => {
      const { links: made } = await addPartner();
      const path = `${links}/${made[0]?.id}`;
      const replies = await runConcurrently(20, () => call('PUT', path, { status: 'inactive' }));
      expect(countStatuses(replies)).toEqual({ 200: 20 });
      expect(await call('PUT', path, {})).toMatchObject({
        status: 200,
        body: { data: { status: 'inactive' } },
      });
      expect(await call('PUT', path, { status: 'active' })).toMatchObject({
        body: { data: { status: 'active' } },
      });
      expect(await call('PUT', path, { status: 'gone' })).toMatchObject({ status: 400 });
      expect(await call('PUT', `${links}/0`, { status: 'active' })).toMatchObject({ status: 404 });
      // A link of another program is not found.
      const sibling = await addProgram(owner.token);
      expect(
        await call('PUT', `${PROGRAMS}/${sibling}/links/${made[0]?.id}`, { status: 'inactive' }),
      ).toMatchObject({
        status: 404,
      });
      expect(await call('PUT', path, {})).toMatchObject({ body: { data: { status: 'active' } } });
    });

    it.each([
      [{ short_link: 'x' }, 'short_link must consist of 2 to 64 of the characters A-Z a-z 0-9 _ -'],
      [{ short_link: 'with space' }, 'short_link must consist of 2 to 64 of the characters A-Z a-z 0-9 _ -'],
      [{ partner_id: 99_999_999 }, 'partner_id must be a partner of the program'],
      [{ partner_id: 'x' }, 'partner_id must be an integer from 1 to 9007199254740991'],
    ])('is rejected with %j', async (fault, error) => {
      const { id } = await addPartner();
      expect(await call('POST', links, { partner_id: id, ...fault })).toMatchObject({
        status: 400,
        body: { error, code: 'invalid_field' },
      });
    });
  });
}
