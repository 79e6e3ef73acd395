import { afterEach, beforeEach, expect, it } from 'vitest';
import type { OpenEngine } from '../support/engine-kinds.ts';
import { openPartnerWorld, type PartnerWorld, PROGRAMS, SECRETS } from '../support/partner-portal-world.ts';

interface List {
  readonly data: readonly { readonly id: number; readonly partner_id: number }[];
  readonly meta: unknown;
}

/** Tests the payouts of a signed-in partner, on any engine. */
export function portalPayoutContract(open: OpenEngine): void {
  let portal: PartnerWorld;
  /** Payouts of Pat in the order of their creation. */
  let own: { main: number; side: number; away: number };

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
    own = {
      main: await payOut(main, portal.inMain.id),
      side: await payOut(side, portal.inSide.id),
      away: await payOut(away, portal.inAway.id),
    };
  });
  afterEach(() => portal.world.close());

  it('lists only the payouts of the partner, with their ledger positions', async () => {
    const body = await list();
    expect(ids(body)).toEqual([own.away, own.side, own.main].sort((one, other) => other - one));
    const at = new Date(portal.world.clock.now).toISOString();
    expect(body.data.find(({ id }) => id === own.main)).toEqual({
      id: own.main,
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
    expect(JSON.stringify(body)).not.toMatch(SECRETS);
    expect((await list('', portal.rob)).data).toMatchObject([{ partner_id: portal.robInMain.id }]);
  });

  it('filters and paginates payouts', async () => {
    expect(ids(await list(`?program_id=${portal.side.id}`))).toEqual([own.side]);
    expect(ids(await list(`?partner_id=${portal.inAway.id}`))).toEqual([own.away]);
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

  it('returns an empty list or an error for programs and partners of others', async () => {
    expect(ids(await list(`?program_id=${portal.away.id}`, portal.rob))).toEqual([]);
    const target = `/api/partner/payouts?partner_id=${portal.sidInAway.id}`;
    expect(await portal.world.call('GET', target, { token: portal.pat.token })).toMatchObject({
      status: 403,
    });
  });
}
