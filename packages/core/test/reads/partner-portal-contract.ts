import { afterEach, beforeEach, expect, it } from 'vitest';
import { readPartnerEnrollments } from '../../src/reporting/partner-portal.ts';
import type { OpenEngine } from '../support/engine-kinds.ts';
import {
  ADVERTISER_SECRETS,
  openPartnerWorld,
  type PartnerWorld,
  PROGRAMS,
} from '../support/partner-portal-world.ts';

interface Row {
  readonly id: number;
}

interface List<T = Row> {
  readonly data: readonly T[];
  readonly meta: unknown;
}

interface Me {
  readonly partners: readonly { readonly id: number; readonly programs: readonly object[] }[];
}

export function partnerPortalContract(open: OpenEngine): void {
  let portal: PartnerWorld;

  beforeEach(async () => {
    portal = await openPartnerWorld(open);
  });
  afterEach(() => portal.world.close());

  const ids = ({ data }: List) => data.map(({ id }) => id);

  it('shows status and balances in each program of each workspace', async () => {
    const { main, side, away, inMain, inSide, inAway, pat } = portal;
    await portal.sell(main, 'pat-main', 5000);
    await portal.sell(main, 'code-of-rob', 777_700);
    await portal.sell(away, 'code-of-sid', 888_800);
    await portal.ask(side.owner, `${PROGRAMS}/${side.id}/partners/${inSide.id}`, 'PUT', { status: 'banned' });
    const settings = `${PROGRAMS}/${main.id}/payout-settings`;
    await portal.ask(main.owner, settings, 'PUT', { min_payout_cents: 5000, schedule_day: 31 });
    await portal.ask(side.owner, `${PROGRAMS}/${side.id}/partners/${inSide.id}`, 'PUT', {
      min_payout_cents: 700,
    });
    const payouts = { min_payout_cents: null, schedule_day: null, next_at: null };
    const program = (id: number, name: string, enrollmentId: number) => ({
      program_id: id,
      name,
      slug: name,
      site_url: `https://${name}.example/`,
      status: 'approved',
      status_reason: null,
      partner_program_id: enrollmentId,
      currency: 'USD',
      cookie_window_days: expect.any(Number),
      balance_cents: 0,
      payable_cents: 0,
      balances: [] as unknown,
      clicks: 0,
      leads: 0,
      conversions: 0,
      link_count: 1,
      enrolled_at: '2026-01-15T12:00:00.000Z',
      data_since: '2026-01-15T12:00:00.000Z',
      payouts,
      terms: {
        hold_days: 30,
        commission: {
          type: 'percent',
          rate: 10,
          recurring_months: null,
          text: 'You earn 10% of each sale. Each renewal of a subscription earns a commission too.',
        },
        products: [],
      },
    });
    const partner = { name: 'pat', email: 'pat@partner.test', workspace_name: 'Acme' };
    expect(await portal.ask(pat, '/api/partner/me')).toEqual({
      success: true,
      user: { id: pat.userId, email: pat.email, name: 'Ann' },
      email_delivery: 'none',
      partners: [
        {
          ...partner,
          id: inMain.id,
          workspace_id: main.owner.workspaceId,
          programs: [
            {
              ...program(main.id, 'main-shop', inMain.enrollmentId),
              balance_cents: 500,
              balances: [{ currency: 'USD', balance_cents: 500, payable_cents: 0 }],
              clicks: 1,
              conversions: 1,
              data_since: '2026-01-15T00:00:00.000Z',
              payouts: { min_payout_cents: 5000, schedule_day: 31, next_at: '2026-01-31T00:00:00.000Z' },
            },
            {
              ...program(side.id, 'side-shop', inSide.enrollmentId),
              status: 'banned',
              payouts: { ...payouts, min_payout_cents: 700 },
            },
          ],
        },
        {
          ...partner,
          id: inAway.id,
          workspace_id: away.owner.workspaceId,
          programs: [program(away.id, 'away-shop', inAway.enrollmentId)],
        },
      ],
    });
  });

  it('shows a payout day of the next month if the payouts of this month were already proposed', async () => {
    const { world, main, inMain, pat } = portal;
    const setDay = (schedule_day: number) =>
      portal.ask(main.owner, `${PROGRAMS}/${main.id}/payout-settings`, 'PUT', { schedule_day });
    const shownProgram = async () => {
      const { partners } = await portal.ask<Me>(pat, '/api/partner/me');
      return partners[0]?.programs[0];
    };
    await setDay(15);
    await world.affkit.jobs.runOnce();
    expect(await shownProgram()).toMatchObject({ payouts: { next_at: '2026-01-15T00:00:00.000Z' } });
    await setDay(16);
    expect(await shownProgram()).toMatchObject({ payouts: { next_at: '2026-02-16T00:00:00.000Z' } });
    const months = async () => {
      const rows = await world.engine.read.selectFrom('payout_runs').select('month').orderBy('id').execute();
      return rows.map(({ month }) => month);
    };
    world.clock.now = Date.UTC(2026, 0, 16);
    await world.affkit.jobs.runOnce();
    expect(await months()).toEqual(['2026-01']);
    // The session has expired.
    const [enrollment] = await readPartnerEnrollments(world.affkit.runtime, [inMain.id]);
    expect(enrollment).toMatchObject({ nextPayoutAt: Date.UTC(2026, 1, 16) });
    world.clock.now = Date.UTC(2026, 1, 16);
    await world.affkit.jobs.runOnce();
    expect(await months()).toEqual(['2026-01', '2026-02']);
  });

  it("lists the partner's links in all programs with their clicks, newest first", async () => {
    const { main, inMain, inSide, inAway, pat } = portal;
    await portal.sell(main, 'pat-main', 5000);
    await portal.sell(main, 'code-of-rob', 5000);
    const none = { landing_path: null, sub_id: null, leads: 0, sales: 0, earnings: [] };
    const link = { ...none, status: 'active', clicks: 0, last_clicked: null };
    expect(await portal.ask(pat, '/api/partner/links')).toEqual({
      success: true,
      data: [
        {
          ...link,
          id: inAway.linkId,
          partner_id: inAway.id,
          program_id: portal.away.id,
          short_link: 'pat-away',
          url: 'https://away-shop.example/?aff=pat-away',
        },
        {
          ...link,
          id: inSide.linkId,
          partner_id: inSide.id,
          program_id: portal.side.id,
          short_link: 'pat-side',
          url: 'https://side-shop.example/?aff=pat-side',
        },
        {
          ...none,
          id: inMain.linkId,
          partner_id: inMain.id,
          program_id: main.id,
          short_link: 'pat-main',
          status: 'active',
          url: 'https://main-shop.example/?aff=pat-main',
          clicks: 1,
          last_clicked: new Date(portal.world.clock.now).toISOString(),
        },
      ],
      meta: { pagination: { page: 1, pageSize: 10, pageCount: 1, total: 3 }, as_of: null },
    });
    const second = await portal.ask<List>(pat, '/api/partner/links?page=2&pageSize=2');
    expect([ids(second), second.meta]).toEqual([
      [inMain.linkId],
      { pagination: { page: 2, pageSize: 2, pageCount: 2, total: 3 }, as_of: null },
    ]);
  });

  it("filters by partner_id, and returns 404 for someone else's partner", async () => {
    const { inAway, robInMain, pat } = portal;
    const me = await portal.ask<Me>(pat, `/api/partner/me?partner_id=${inAway.id}`);
    expect(me.partners.map(({ id }) => id)).toEqual([inAway.id]);
    expect(ids(await portal.ask<List>(pat, `/api/partner/links?partner_id=${inAway.id}`))).toEqual([
      inAway.linkId,
    ]);
    for (const list of LISTS) {
      for (const [named, refusal] of [
        [robInMain.id, { status: 404, body: { code: 'not_found' } }],
        [99_999_999, { status: 404, body: { code: 'not_found' } }],
        ['x', { status: 400, body: { error: 'partner_id must be a positive integer' } }],
      ] as const) {
        const target = `/api/partner/${list}?partner_id=${named}`;
        expect(await portal.world.call('GET', target, { token: pat.token })).toMatchObject(refusal);
      }
    }
  });

  it('checks the page, then the partner, then the filters of a list', async () => {
    const { pat, robInMain } = portal;
    for (const [list, filter] of [
      ['commissions', 'status=open'],
      ['commissions', 'dateFrom=x'],
      ['commissions', 'program_id=x'],
      ['payouts', 'status=open'],
      ['payouts', 'program_id=x'],
    ]) {
      const ask = (query: string) =>
        portal.world.call('GET', `/api/partner/${list}?${filter}&${query}`, { token: pat.token });
      expect(await ask('page=0')).toMatchObject({ status: 400 });
      expect(await ask(`partner_id=${robInMain.id}&page=0`)).toMatchObject({ status: 400 });
      expect(await ask(`partner_id=${robInMain.id}`)).toMatchObject({ status: 404 });
    }
  });

  it("lists the partner's commissions, newest first, without details of the sales", async () => {
    const { main, away, inMain, inAway, pat } = portal;
    const first = await portal.sell(main, 'pat-main', 5000);
    await portal.sell(main, 'code-of-rob', 5000);
    const second = await portal.sell(away, 'pat-away', 7000);
    await portal.refund(main, first, { refund_amount_cents: 1000, refund_reason: 'Broken' });
    const now = portal.world.clock.now;
    const row = {
      adjusted_cents: 0,
      currency: 'USD',
      commission_date: new Date(now).toISOString(),
      releasable_at: new Date(now + 30 * DAY).toISOString(),
      needs_approval: false,
      disputed: false,
      approved_at: null,
      rejected_at: null,
      payout_id: null,
      paid_at: null,
    };
    expect(await portal.ask(pat, '/api/partner/commissions')).toEqual({
      success: true,
      data: [
        {
          ...row,
          id: second,
          program_id: away.id,
          partner_id: inAway.id,
          status: 'pending',
          amount_cents: 700,
          deducted_cents: 0,
          refund_reason: null,
        },
        {
          ...row,
          id: first,
          program_id: main.id,
          partner_id: inMain.id,
          status: 'refunded',
          amount_cents: 500,
          deducted_cents: 100,
          refund_reason: 'Broken',
        },
      ],
      meta: { pagination: { page: 1, pageSize: 10, pageCount: 1, total: 2 } },
    });
  });

  it('filters commissions by status, program and time, and pages them', async () => {
    const { main, side, away, pat, world } = portal;
    const firstCommission = await portal.sell(main, 'pat-main', 5000);
    world.clock.now += HOUR;
    const secondCommission = await portal.sell(main, 'pat-main', 5000);
    const sideCommission = await portal.sell(side, 'pat-side', 5000);
    const robsCommission = await portal.sell(main, 'code-of-rob', 5000);
    await portal.ask(side.owner, `${PROGRAMS}/${side.id}/commissions/${sideCommission}/reject`, 'POST');
    const listIds = async (query: string) =>
      ids(await portal.ask<List>(pat, `/api/partner/commissions?${query}`));
    expect(await listIds('')).toEqual([sideCommission, secondCommission, firstCommission]);
    expect(await listIds('pageSize=2&page=2')).toEqual([firstCommission]);
    expect(await listIds('status=rejected')).toEqual([sideCommission]);
    expect(await listIds('status=pending')).toEqual([secondCommission, firstCommission]);
    expect(await listIds(`program_id=${main.id}`)).toEqual([secondCommission, firstCommission]);
    expect(await listIds(`program_id=${away.id}`)).toEqual([]);
    expect(await listIds(`program_id=${main.id}&status=rejected`)).toEqual([]);
    expect(await listIds('dateTo=2026-01-15T12:59:59Z')).toEqual([firstCommission]);
    expect(await listIds('dateFrom=2026-01-15T13:00:00Z')).toEqual([sideCommission, secondCommission]);
    expect(ids(await portal.ask<List>(portal.rob, `/api/partner/commissions?program_id=${main.id}`))).toEqual(
      [robsCommission],
    );
    for (const [query, error] of [
      ['status=gone', /^status must be one of/],
      ['program_id=x', /^program_id must be a positive integer$/],
      ['dateFrom=x', /^dateFrom must be/],
      ['page=0', /^page must be/],
    ] as const) {
      const reply = await world.call('GET', `/api/partner/commissions?${query}`, { token: pat.token });
      expect(reply).toMatchObject({ status: 400, body: { error: expect.stringMatching(error) } });
    }
  });

  it('never shows data of other partners or data that only the advertiser may see', async () => {
    const { main, side, away, pat, rob } = portal;
    for (const [program, code, amountCents] of [
      [main, 'pat-main', 5000],
      [side, 'pat-side', 6000],
      [main, 'code-of-rob', 777_700],
      [away, 'code-of-sid', 888_800],
    ] as const) {
      await portal.refund(program, await portal.sell(program, code, amountCents));
      await portal.sell(program, code, amountCents);
    }
    const textSeenBy = async (person: typeof pat) => {
      const bodies = await Promise.all(LISTS.map((list) => portal.ask(person, `/api/partner/${list}`)));
      // The email address is random, so it could contain any of the texts below.
      return JSON.stringify(bodies).replaceAll(person.email, '');
    };
    const seenByPat = await textSeenBy(pat);
    expect(seenByPat).not.toMatch(ADVERTISER_SECRETS);
    expect(seenByPat).not.toMatch(/code-of|rob|sid@|7777|77770|8888|88880/);
    const seenByRob = await textSeenBy(rob);
    expect(seenByRob).toContain('code-of-rob');
    expect(seenByRob).not.toMatch(ADVERTISER_SECRETS);
    expect(seenByRob).not.toMatch(/\bpat\b|code-of-sid|side-shop|away-shop|[^0-9](500|600|5000|6000)[^0-9]/);
  });

  it('returns 403 for an owner, unless the owner is linked to a partner', async () => {
    const { main, robInMain } = portal;
    const { userId, token } = main.owner;
    for (const list of LISTS) {
      expect(await portal.world.call('GET', `/api/partner/${list}`, { token })).toMatchObject({
        status: 403,
        body: { error: 'Forbidden', code: 'forbidden' },
      });
    }
    await portal.world.engine.write(0, (tx) =>
      tx.db.updateTable('partners').set({ user_id: userId }).where('id', '=', robInMain.id).execute(),
    );
    expect(ids(await portal.ask<List>(main.owner, '/api/partner/links'))).toEqual([robInMain.linkId]);
    // Linking and unlinking a user take effect on the next request.
    expect((await portal.world.call('GET', '/api/partner/me', { token: portal.rob.token })).status).toBe(403);
  });

  it('hides deleted programs, but still shows the commissions earned there', async () => {
    const { side, inSide, pat } = portal;
    const earned = await portal.sell(side, 'pat-side', 5000);
    await portal.ask(side.owner, `${PROGRAMS}/${side.id}/commissions/${earned}/reject`, 'POST');
    await portal.ask(side.owner, `${PROGRAMS}/${side.id}`, 'DELETE');
    const me = await portal.ask<Me>(pat, '/api/partner/me');
    expect(me.partners.map(({ programs }) => programs.length)).toEqual([1, 1]);
    expect(JSON.stringify(me)).not.toContain('side-shop');
    const links = await portal.ask<List>(pat, '/api/partner/links');
    expect(ids(links)).not.toContain(inSide.linkId);
    expect(links).toMatchObject({ data: [{}, {}], meta: { pagination: { total: 2 } } });
    for (const query of ['', `?program_id=${side.id}`]) {
      const commissions = await portal.ask<List>(pat, `/api/partner/commissions${query}`);
      expect(commissions.data).toMatchObject([{ id: earned, program_id: side.id, status: 'rejected' }]);
    }
  });
}

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

const LISTS = ['me', 'links', 'commissions', 'notifications'] as const;
