import { afterEach, beforeEach, expect, it } from 'vitest';
import type { OpenEngine } from '../support/engine-kinds.ts';
import {
  ADVERTISER_SECRETS,
  openPartnerWorld,
  type PartnerWorld,
  PROGRAMS,
} from '../support/partner-portal-world.ts';

interface List {
  readonly data: readonly { readonly id: number; readonly partner_id: number }[];
  readonly meta: unknown;
}

export function portalPayoutContract(open: OpenEngine): void {
  let portal: PartnerWorld;
  /** The ids of Pat's payouts, by program. */
  let payouts: { main: number; side: number; away: number };

  const ids = ({ data }: List) => data.map(({ id }) => id);
  const list = (query = '', by = portal.pat) => portal.ask<List>(by, `/api/partner/payouts${query}`);

  beforeEach(async () => {
    portal = await openPartnerWorld(open);
    const { main, side, away } = portal;
    const earn = async (program: typeof main, code: string, amountCents: number) => {
      const id = await portal.sell(program, code, amountCents);
      await portal.ask(program.owner, `${PROGRAMS}/${program.id}/commissions/${id}/approve`, 'POST', {});
    };
    await earn(main, 'pat-main', 5000);
    await earn(main, 'code-of-rob', 777_700);
    await earn(side, 'pat-side', 6000);
    await earn(away, 'pat-away', 7000);
    await earn(away, 'code-of-sid', 888_800);
    const payOut = async (program: typeof main, partnerId: number): Promise<number> => {
      const { data } = await portal.ask<List>(program.owner, `${PROGRAMS}/${program.id}/payouts`, 'POST', {});
      return data.find((payout) => payout.partner_id === partnerId)?.id ?? 0;
    };
    payouts = {
      main: await payOut(main, portal.inMain.id),
      side: await payOut(side, portal.inSide.id),
      away: await payOut(away, portal.inAway.id),
    };
  });
  afterEach(() => portal.world.close());

  it("lists only the partner's payouts, with their ledger position", async () => {
    const body = await list();
    expect(ids(body)).toEqual([payouts.away, payouts.side, payouts.main].sort((one, other) => other - one));
    const at = new Date(portal.world.clock.now).toISOString();
    expect(body.data.find(({ id }) => id === payouts.main)).toEqual({
      id: payouts.main,
      program_id: portal.main.id,
      partner_id: portal.inMain.id,
      currency: 'USD',
      status: 'pending',
      amount_cents: 500,
      commissions: 1,
      reference: null,
      ledger_position: expect.any(Number),
      ledger_hash: expect.stringMatching(/^[0-9a-f]{64}$/),
      created_at: at,
      paid_at: null,
      cancelled_at: null,
    });
    expect(JSON.stringify(body)).not.toMatch(ADVERTISER_SECRETS);
    expect((await list('', portal.rob)).data).toMatchObject([{ partner_id: portal.robInMain.id }]);
  });

  it('supports filters and pages', async () => {
    expect(ids(await list(`?program_id=${portal.side.id}`))).toEqual([payouts.side]);
    expect(ids(await list(`?partner_id=${portal.inAway.id}`))).toEqual([payouts.away]);
    expect(ids(await list('?status=paid'))).toEqual([]);
    expect(await list('?pageSize=1&page=4')).toMatchObject({
      data: [],
      meta: { pagination: { page: 4, pageSize: 1, pageCount: 3, total: 3 } },
    });
    for (const query of ['?status=open', '?program_id=x', '?page=0']) {
      const reply = await portal.world.call('GET', `/api/partner/payouts${query}`, {
        token: portal.pat.token,
      });
      expect(reply).toMatchObject({ status: 400, body: { code: 'invalid_field' } });
    }
  });

  it("returns an empty list for someone else's program, and 404 for someone else's partner", async () => {
    expect(ids(await list(`?program_id=${portal.away.id}`, portal.rob))).toEqual([]);
    const target = `/api/partner/payouts?partner_id=${portal.sidInAway.id}`;
    expect(await portal.world.call('GET', target, { token: portal.pat.token })).toMatchObject({
      status: 404,
    });
  });
}
