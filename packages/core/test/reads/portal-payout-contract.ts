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

/** Tests of payouts in the partner portal, for every engine. */
export function portalPayoutContract(open: OpenEngine): void {
  let of: PartnerWorld;
  /** The ids of Pat's payouts, by program. */
  let payouts: { main: number; side: number; away: number };

  const ids = ({ data }: List) => data.map(({ id }) => id);
  const list = (query = '', by = of.pat) => of.ask<List>(by, `/api/partner/payouts${query}`);

  beforeEach(async () => {
    of = await openPartnerWorld(open);
    const { main, side, away } = of;
    const earn = async (program: typeof main, code: string, amountCents: number) => {
      const id = await of.sell(program, code, amountCents);
      await of.ask(program.owner, `${PROGRAMS}/${program.id}/commissions/${id}/approve`, 'POST', {});
    };
    await earn(main, 'pat-main', 5000);
    await earn(main, 'code-of-rob', 777_700);
    await earn(side, 'pat-side', 6000);
    await earn(away, 'pat-away', 7000);
    await earn(away, 'code-of-sid', 888_800);
    const payOut = async (program: typeof main, partnerId: number): Promise<number> => {
      const { data } = await of.ask<List>(program.owner, `${PROGRAMS}/${program.id}/payouts`, 'POST', {});
      return data.find((payout) => payout.partner_id === partnerId)?.id ?? 0;
    };
    payouts = {
      main: await payOut(main, of.inMain.id),
      side: await payOut(side, of.inSide.id),
      away: await payOut(away, of.inAway.id),
    };
  });
  afterEach(() => of.world.close());

  it("lists only the partner's payouts, with their ledger position", async () => {
    const body = await list();
    expect(ids(body)).toEqual([payouts.away, payouts.side, payouts.main].sort((one, other) => other - one));
    const at = new Date(of.world.clock.now).toISOString();
    expect(body.data.find(({ id }) => id === payouts.main)).toEqual({
      id: payouts.main,
      program_id: of.main.id,
      partner_id: of.inMain.id,
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
    expect((await list('', of.rob)).data).toMatchObject([{ partner_id: of.robInMain.id }]);
  });

  it('supports filters and pages', async () => {
    expect(ids(await list(`?program_id=${of.side.id}`))).toEqual([payouts.side]);
    expect(ids(await list(`?partner_id=${of.inAway.id}`))).toEqual([payouts.away]);
    expect(ids(await list('?status=paid'))).toEqual([]);
    expect(await list('?pageSize=1&page=4')).toMatchObject({
      data: [],
      meta: { pagination: { page: 4, pageSize: 1, pageCount: 3, total: 3 } },
    });
    for (const query of ['?status=open', '?program_id=x', '?page=0']) {
      const reply = await of.world.call('GET', `/api/partner/payouts${query}`, { token: of.pat.token });
      expect(reply).toMatchObject({ status: 400, body: { code: 'invalid_field' } });
    }
  });

  it("returns an empty list for someone else's program, and 403 for someone else's partner", async () => {
    expect(ids(await list(`?program_id=${of.away.id}`, of.rob))).toEqual([]);
    const target = `/api/partner/payouts?partner_id=${of.sidInAway.id}`;
    expect(await of.world.call('GET', target, { token: of.pat.token })).toMatchObject({ status: 403 });
  });
}
