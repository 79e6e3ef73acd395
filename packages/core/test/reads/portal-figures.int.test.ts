import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LinkSums } from '../../src/domain/link-totals.ts';
import { checkBreakdowns, rebuildBreakdowns } from '../../src/reporting/breakdowns.ts';
import { engineKinds } from '../support/engine-kinds.ts';
import {
  ADVERTISER_SECRETS,
  openPartnerWorld,
  type PartnerWorld,
  PROGRAMS,
} from '../support/partner-portal-world.ts';

interface Figures {
  readonly sub_id: string | null;
  readonly clicks: number;
  readonly leads: number;
  readonly sales: number;
  readonly earnings: readonly { readonly currency: string; readonly amount_cents: number }[];
}

interface CreatedLink {
  readonly id: number;
  readonly url: string;
  readonly short_link: string;
}

const DAY_MS = 86_400_000;
const LINKS = '/api/partner/links';

describe.each(Object.entries(engineKinds))('figures of the partner portal on %s', (_kind, open) => {
  let portal: PartnerWorld;
  let count = 0;

  beforeAll(async () => {
    portal = await openPartnerWorld(open);
  });
  afterAll(() => portal.world.close());

  const ask = <T>(target: string, method = 'GET', body?: unknown) =>
    portal.ask<{ readonly data: T; readonly meta: { readonly as_of: string | null } }>(
      portal.pat,
      target,
      method,
      body,
    );
  const statusOf = async (caller: { readonly token: string }, target: string) =>
    (await portal.world.call('GET', target, { token: caller.token })).status;
  const createLink = (body: object) =>
    portal.world.call<{ data: CreatedLink; error?: string }>('POST', LINKS, {
      token: portal.pat.token,
      body,
    });

  /** Records a click on a link. If `sells` is true, a lead and a sale of 50.00 follow. */
  async function recordVisit(url: string, { sells = false } = {}): Promise<void> {
    count += 1;
    const { body } = await portal.world.call<{ click_id: string }>('POST', '/api/v1/track/click', {
      body: { affiliate_url: url, page_url: 'https://landing.example/' },
    });
    if (sells) await sellTo({ click_id: body.click_id, customer_key: `buyer-of-links-${count}` });
  }

  /** Records a lead and a sale of 50.00. */
  async function sellTo(customer: { click_id: string; customer_key: string }): Promise<void> {
    await portal.ask(portal.main, '/api/v1/track/lead', 'POST', customer);
    const sale = { ...customer, transaction_id: `txn-of-${customer.customer_key}`, amount_cents: 5000 };
    await portal.ask(portal.main, '/api/v1/track/sale', 'POST', sale);
  }

  /** Records a click on Rob's link. A minute later, the same customer clicks Pat's link, so a sale belongs to Pat. */
  async function clickRobThenPat(patsUrl: string) {
    const clickOn = (affiliate_url: string, existing_click_id?: string) =>
      portal.world.call<{ click_id: string; attributed_partner_code: string }>(
        'POST',
        '/api/v1/track/click',
        {
          body: { affiliate_url, existing_click_id },
        },
      );
    const { click_id } = (await clickOn('https://main-shop.example/?aff=code-of-rob')).body;
    portal.world.clock.now += 60_000;
    const later = await clickOn(patsUrl, click_id);
    const attributed_partner_code = new URL(patsUrl).searchParams.get('aff');
    expect(later.body).toMatchObject({ click_id, attributed_partner_code });
    return { click_id, customer_key: `buyer-of-${attributed_partner_code}` };
  }

  it('splits earnings into amounts on hold, payable, in a payout and paid, and excludes other partners', async () => {
    const { main, inMain, pat, world } = portal;
    const commissions = `${PROGRAMS}/${main.id}/commissions`;
    const paid = await portal.sell(main, inMain.code, 10_000);
    const approved = await portal.sell(main, inMain.code, 20_000);
    await portal.sell(main, inMain.code, 40_000);
    await portal.sell(main, 'code-of-rob', 777_700);
    const payouts = `${PROGRAMS}/${main.id}/payouts`;
    await portal.ask(main.owner, `${commissions}/${paid}/approve`, 'POST', {});
    const created = await portal.ask<{ data: { id: number }[] }>(main.owner, payouts, 'POST', {
      partner_ids: [inMain.id],
    });
    await portal.ask(main.owner, `${payouts}/${created.data[0]?.id}/mark-paid`, 'POST', {
      reference: 'bank-1',
    });
    await portal.ask(main.owner, `${commissions}/${approved}/approve`, 'POST', {});

    const row = {
      program_id: main.id,
      partner_id: inMain.id,
      currency: 'USD',
      pending_cents: 0,
      on_hold_cents: 4000,
      payable_cents: 2000,
      in_payout_cents: 0,
      to_deduct_cents: 0,
      paid_cents: 1000,
      balance_cents: 6000,
      next_release_at: new Date(world.clock.now + 30 * DAY_MS).toISOString(),
    };
    expect((await ask('/api/partner/balances')).data).toEqual([row]);
    await portal.ask(main.owner, payouts, 'POST', { partner_ids: [inMain.id] });
    expect((await ask(`/api/partner/balances?program_id=${main.id}&partner_id=${inMain.id}`)).data).toEqual([
      { ...row, payable_cents: 0, in_payout_cents: 2000 },
    ]);
    expect((await ask(`/api/partner/balances?program_id=${portal.side.id}`)).data).toEqual([]);
    expect(await statusOf(pat, `/api/partner/balances?partner_id=${portal.robInMain.id}`)).toBe(404);
  });

  it('divides the pending earnings into those on hold and those in review', async () => {
    const { main, rob, world } = portal;
    await portal.ask(main.owner, `${PROGRAMS}/${main.id}`, 'PUT', { claimed_keys: 'review' });
    const click = await world.call<{ click_id: string }>('POST', '/api/v1/track/click', {
      body: { affiliate_url: 'https://main-shop.example/?aff=code-of-rob' },
    });
    const customer = { click_id: click.body.click_id, customer_key: 'claimed-by-a-browser' };
    expect((await world.call('POST', '/api/v1/track/lead', { body: customer })).status).toBe(200);
    const { customer_key } = customer;
    const sale = { customer_key, transaction_id: 'txn-claimed', amount_cents: 3000 };
    await portal.ask(main, '/api/v1/track/sale', 'POST', sale);

    const balances = await portal.ask<{ data: object[] }>(rob, '/api/partner/balances');
    expect(balances.data).toMatchObject([{ pending_cents: 300, on_hold_cents: 77_770, payable_cents: 0 }]);
    const totals = () => portal.ask<{ data: object[] }>(rob, '/api/partner/commissions/totals');
    expect((await totals()).data).toMatchObject([{ status: 'pending', count: 2, amount_cents: 78_070 }]);

    // A partial refund changes the status. The rest of the commission stays on hold.
    const refund = { transaction_id: 'txn-claimed', refund_amount_cents: 1000 };
    await portal.ask(main, '/api/v1/track/refund', 'POST', refund);
    const after = await portal.ask<{ data: object[] }>(rob, '/api/partner/balances');
    expect(after.data).toMatchObject([{ pending_cents: 200, on_hold_cents: 77_770 }]);
    expect((await totals()).data).toMatchObject([
      { status: 'pending', count: 1, amount_cents: 77_770 },
      { status: 'refunded', count: 1, amount_cents: 300, deducted_cents: 100 },
    ]);
  });

  it('returns daily figures of the partner only, in programs of the partner only', async () => {
    const { main, pat, rob } = portal;
    const reply = await ask<{ series: readonly { measure: string; total: number }[] }>(
      `/api/partner/series?program_id=${main.id}`,
    );
    const totals = reply.data.series.map(({ measure, total }) => [measure, total]);
    expect(totals).toEqual([
      ['clicks', 3],
      ['leads', 0],
      ['conversions', 3],
      ['sales', 3],
      ['commission', 7000],
    ]);
    expect(await statusOf(rob, `/api/partner/series?program_id=${portal.side.id}`)).toBe(404);
    expect(await statusOf(pat, `/api/partner/series?program_id=${main.id}&measures=revenue`)).toBe(400);
  });

  it('creates links that lead to a page and send a sub-id', async () => {
    const program_id = portal.main.id;
    const created = await createLink({
      program_id,
      short_link: 'Pat-Tea',
      landing_path: '/tea?x=1',
      sub_id: 'mail',
    });
    expect(created).toMatchObject({
      status: 201,
      body: {
        data: {
          short_link: 'Pat-Tea',
          url: 'https://main-shop.example/tea?x=1&aff=Pat-Tea&sub_id=mail',
          landing_path: '/tea?x=1',
          sub_id: 'mail',
          partner_id: portal.inMain.id,
        },
      },
    });
    expect((await createLink({ program_id })).body.data.url).toMatch(/\?aff=pat-[a-z0-9]{8}$/);
    expect((await createLink({ program_id, short_link: 'pat-tea' })).status).toBe(409);
    expect((await createLink({ program_id: 999_999 })).status).toBe(404);
    for (const landing_path of [
      'tea',
      '//evil.example',
      '/\\evil.example',
      'https://evil.example/',
      '/a b',
    ]) {
      expect((await createLink({ program_id, landing_path })).status, landing_path).toBe(400);
    }
    expect((await createLink({ program_id, sub_id: 'a\u202Eb' })).status).toBe(400);
  });

  it('counts the events of links and sub-ids exactly, up to the time in as_of', async () => {
    const { main, inMain, inAway, rob, world } = portal;
    const { data: link } = (await createLink({ program_id: main.id, short_link: 'pat-subs' })).body;
    await recordVisit(`${link.url}&sub_id=mail`, { sells: true });
    await recordVisit(`${link.url}&sub_id=mail`);
    await recordVisit(`${link.url}&sub_id=blog`);
    await recordVisit(link.url, { sells: true });
    await world.affkit.jobs.runOnce();

    const list = await ask<readonly (Figures & CreatedLink)[]>(`${LINKS}?program_id=${main.id}`);
    expect(list.meta.as_of).toBe(new Date(world.clock.now).toISOString());
    const earnings = [{ currency: 'USD', amount_cents: 1000 }];
    expect(list.data.find(({ id }) => id === link.id)).toMatchObject({
      clicks: 4,
      leads: 2,
      sales: 2,
      earnings,
    });
    expect(list.data.find(({ id }) => id === inMain.linkId)).toMatchObject({ clicks: 3, sales: 3 });
    expect(list.data.map(({ id }) => id)).not.toContain(inAway.linkId);
    expect(JSON.stringify(list)).not.toMatch(ADVERTISER_SECRETS);

    const half = [{ currency: 'USD', amount_cents: 500 }];
    expect((await ask<readonly Figures[]>(`${LINKS}/${link.id}/sub-ids`)).data).toEqual([
      { sub_id: 'mail', clicks: 2, leads: 1, sales: 1, earnings: half },
      { sub_id: 'blog', clicks: 1, leads: 0, sales: 0, earnings: [] },
    ]);
    const totalsOf = async (query: string) =>
      (
        await ask<{ series: readonly { total: number }[] }>(`${LINKS}/${link.id}/series${query}`)
      ).data.series.map(({ total }) => total);
    expect(await totalsOf('')).toEqual([4, 2, 2, 1000]);
    expect(await totalsOf('?sub_id=mail')).toEqual([2, 1, 1, 500]);
    expect(await totalsOf('?sub_id=nobody')).toEqual([0, 0, 0, 0]);
    const csv = await world.call<string>('GET', `${LINKS}/${link.id}/sub-ids.csv`, {
      token: portal.pat.token,
    });
    expect(csv.status).toBe(200);

    for (const path of ['', '/series', '/sub-ids', '/sub-ids.csv']) {
      expect(await statusOf(rob, `${LINKS}/${link.id}${path}`), path).toBe(404);
    }
  });

  it('counts a lead, a sale, and its commission only under a link of the partner who earns it', async () => {
    const { main, pat, rob, robInMain, world } = portal;
    const { data: link } = (await createLink({ program_id: main.id, short_link: 'pat-later' })).body;
    const linkOf = async (caller: typeof pat, linkId: number) =>
      (await portal.ask<{ data: Figures }>(caller, `${LINKS}/${linkId}`)).data;
    await world.affkit.jobs.runOnce();
    const robBefore = await linkOf(rob, robInMain.linkId);
    const robClickedAt = world.clock.now;
    const customer = await clickRobThenPat(`${link.url}&sub_id=mail`);
    await sellTo(customer);
    await world.affkit.jobs.runOnce();

    const earned = { leads: 1, sales: 1, earnings: [{ currency: 'USD', amount_cents: 500 }] };
    expect(await linkOf(rob, robInMain.linkId)).toEqual({
      ...robBefore,
      clicks: robBefore.clicks + 1,
      last_clicked: new Date(robClickedAt).toISOString(),
    });
    expect(await linkOf(pat, link.id)).toMatchObject({ clicks: 1, ...earned });
    expect((await ask<readonly Figures[]>(`${LINKS}/${link.id}/sub-ids`)).data).toEqual([
      { sub_id: 'mail', clicks: 1, ...earned },
    ]);
    expect(await checkBreakdowns({ engine: world.engine }, main.id)).toEqual([]);
  });

  it("assigns a sale to no link if the customer's first click was removed", async () => {
    const { main, robInMain, world } = portal;
    const { data: link } = (await createLink({ program_id: main.id, short_link: 'pat-after-removal' })).body;
    const customer = await clickRobThenPat(link.url);
    await world.engine.write(1, ({ db }) =>
      db
        .deleteFrom('click_events')
        .where('program_id', '=', main.id)
        .where('click_id', '=', customer.click_id)
        .where('link_id', '=', robInMain.linkId)
        .execute(),
    );
    await sellTo(customer);
    await world.affkit.jobs.runOnce();
    const { data: figures } = await ask<Figures>(`${LINKS}/${link.id}`);
    expect(figures).toMatchObject({ clicks: 1, leads: 0, sales: 0, earnings: [] });
  });

  it('finds and corrects totals of links that differ from the events', async () => {
    const { engine } = portal.world;
    const programId = portal.main.id;
    const before = await engine.read.selectFrom('link_totals').selectAll().execute();
    expect(await checkBreakdowns({ engine }, programId)).toEqual([]);
    await engine.write(
      0,
      async ({ db }) => {
        await db.updateTable('link_totals').set({ total: 77 }).where('sub_id', '=', 'mail').execute();
        await db.deleteFrom('link_totals').where('kind', '=', 0).where('measure', '=', 'sales').execute();
      },
      () => [],
    );
    const drifts = await checkBreakdowns({ engine }, programId);
    expect(new Set(drifts.map(({ dimension }) => dimension))).toEqual(new Set(['link_total', 'sub_id']));
    expect(await rebuildBreakdowns({ engine }, programId)).toBe(drifts.length);
    const sorted = (rows: readonly object[]) => rows.map((row) => JSON.stringify(row)).sort();
    expect(sorted(await engine.read.selectFrom('link_totals').selectAll().execute())).toEqual(sorted(before));
  });

  it('counts sub-ids beyond the limit in one shared row, even when they are sent again', async () => {
    const { main, world } = portal;
    const { data: link } = (await createLink({ program_id: main.id, short_link: 'pat-many' })).body;
    const send = async (first: number, last: number) => {
      for (let number = first; number <= last; number++) await recordVisit(`${link.url}&sub_id=s${number}`);
      await world.affkit.jobs.runOnce();
    };
    await send(1, 60);
    await send(55, 108);
    const readPage = (query: string) => ask<readonly Figures[]>(`${LINKS}/${link.id}/sub-ids${query}`);
    expect((await readPage('')).data).toHaveLength(10);
    const pages = [await readPage('?pageSize=60'), await readPage('?pageSize=60&page=2')];
    expect(pages.map(({ meta }) => meta)).toMatchObject([
      { pagination: { page: 1, pageSize: 60, pageCount: 2, total: 101 } },
      { pagination: { page: 2, pageSize: 60, pageCount: 2, total: 101 } },
    ]);
    const data = pages.flatMap((page) => page.data);
    expect(new Set(data.map(({ sub_id }) => sub_id)).size).toBe(101);
    expect(data).toHaveLength(101);
    const csv = await portal.world.call<string>('GET', `${LINKS}/${link.id}/sub-ids.csv`, {
      token: portal.pat.token,
    });
    expect(String(csv.body).trim().split('\r\n')).toHaveLength(102);
    expect(data.at(-1)).toMatchObject({ sub_id: null, clicks: 8 });
    expect(data.reduce((sum, { clicks }) => sum + clicks, 0)).toBe(114);
    expect(await checkBreakdowns({ engine: world.engine }, main.id)).toEqual([]);
  });

  it('keeps figures of a banned partner readable, and hides deleted programs', async () => {
    const { main, side, inMain, inSide, pat, world } = portal;
    const partner = `${PROGRAMS}/${main.id}/partners/${inMain.id}`;
    await portal.ask(main.owner, partner, 'PUT', { status: 'banned', status_reason: 'Ads with our name' });
    expect((await ask<readonly Figures[]>(`${LINKS}?program_id=${main.id}`)).data.length).toBeGreaterThan(2);
    expect((await ask<readonly object[]>('/api/partner/balances')).data).toHaveLength(1);
    expect(await createLink({ program_id: main.id })).toMatchObject({
      status: 400,
      body: { error: 'program_id must be a program that has approved you' },
    });

    await world.engine.write(
      0,
      ({ db }) => db.updateTable('programs').set({ deleted_at: 1 }).where('id', '=', side.id).execute(),
      () => [],
    );
    expect(await statusOf(pat, `${LINKS}/${inSide.linkId}`)).toBe(404);
    expect(await statusOf(pat, `/api/partner/series?program_id=${side.id}`)).toBe(404);
    expect((await ask(`${LINKS}?program_id=${side.id}`)).data).toEqual([]);
    expect((await createLink({ program_id: side.id })).status).toBe(404);
  });
});

it('limits how many sub-ids of a partner get their own row, and reserves some rows for other partners', () => {
  const sums = new LinkSums([], { perLink: 3, perPartner: 5, perProgram: 7, reservedPerPartner: 2 });
  const click = { programId: 1, day: 20_000, measure: 'clicks', total: 1 } as const;
  const send = (partnerId: number, linkIds: readonly number[]) => {
    for (const linkId of linkIds)
      for (const subId of ['a', 'b', 'c', 'd', 'a', '']) sums.add({ ...click, partnerId, linkId, subId });
  };
  // Two partners use up the program's limit.
  send(1, [10, 11, 12]);
  send(2, [20]);
  send(3, [30]);
  send(4, [40]);
  const rows = sums.totals();
  const namesOf = (linkIds: readonly number[]) =>
    rows.filter(({ kind, linkId }) => kind === 1 && linkIds.includes(linkId)).length;
  expect([namesOf([10, 11, 12]), namesOf([20]), namesOf([30]), namesOf([40])]).toEqual([5, 2, 2, 2]);
  expect(rows.filter(({ kind }) => kind === 0).map(({ total }) => total)).toEqual([6, 6, 6, 6, 6, 6]);
  const bySubId = rows.filter(({ kind }) => kind !== 0).reduce((sum, { total }) => sum + total, 0);
  expect(bySubId).toBe(30);
});

it('still has rows for the sub-ids of other partners after one partner has sent thousands', () => {
  const sums = new LinkSums([]);
  const click = { programId: 1, day: 20_000, measure: 'clicks', total: 1 } as const;
  for (let number = 0; number < 5_000; number++) {
    sums.add({ ...click, partnerId: 1, linkId: number % 50, subId: `s${number}` });
  }
  for (let number = 0; number < 100; number++) {
    sums.add({ ...click, partnerId: 2, linkId: 99, subId: `s${number}` });
  }
  const named = sums.totals().filter(({ kind }) => kind === 1);
  expect(named.filter(({ linkId }) => linkId !== 99)).toHaveLength(200);
  expect(named.filter(({ linkId }) => linkId === 99)).toHaveLength(100);
});
