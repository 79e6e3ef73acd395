import { afterEach, beforeEach, expect, it } from 'vitest';
import type { OpenEngine } from '../support/engine-kinds.ts';
import { openPartnerWorld, type PartnerWorld, PROGRAMS, SECRETS } from '../support/partner-portal-world.ts';

interface List {
  readonly data: readonly { readonly id: number; readonly partner_id: number }[];
  readonly meta: unknown;
}

/** What a signed-in partner sees of what it is paid, on any engine. */
export function ownPayoutContract(open: OpenEngine): void {
  let of: PartnerWorld;
  /** Of Pat, in the order in which they were made. */
  let own: { main: number; side: number; away: number };

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
    own = {
      main: await payOut(main, of.inMain.id),
      side: await payOut(side, of.inSide.id),
      away: await payOut(away, of.inAway.id),
    };
  });
  afterEach(() => of.world.close());

  it('is its payouts alone, with the place in the ledger, and no word on anybody else', async () => {
    const body = await list();
    expect(ids(body)).toEqual([own.away, own.side, own.main].sort((one, other) => other - one));
    const at = new Date(of.world.clock.now).toISOString();
    expect(body.data.find(({ id }) => id === own.main)).toEqual({
      id: own.main,
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
    expect(JSON.stringify(body)).not.toMatch(SECRETS);
    expect((await list('', of.rob)).data).toMatchObject([{ partner_id: of.robInMain.id }]);
  });

  it('is filtered and paged', async () => {
    expect(ids(await list(`?program_id=${of.side.id}`))).toEqual([own.side]);
    expect(ids(await list(`?partner_id=${of.inAway.id}`))).toEqual([own.away]);
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

  it('of a program or a partner of somebody else is empty or refused', async () => {
    expect(ids(await list(`?program_id=${of.away.id}`, of.rob))).toEqual([]);
    const target = `/api/partner/payouts?partner_id=${of.sidInAway.id}`;
    expect(await of.world.call('GET', target, { token: of.pat.token })).toMatchObject({ status: 403 });
  });
}
