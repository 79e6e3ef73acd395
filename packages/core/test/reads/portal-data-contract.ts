import { afterAll, beforeAll, expect, it } from 'vitest';
import type { OpenEngine } from '../support/engine-kinds.ts';
import {
  ADVERTISER_SECRETS,
  openPartnerWorld,
  type PartnerWorld,
  PROGRAMS,
} from '../support/partner-portal-world.ts';

interface Row {
  readonly id: number;
  readonly status: string;
  readonly currency: string;
  readonly amount_cents: number;
  readonly deducted_cents: number;
  readonly adjusted_cents: number;
}

interface List {
  readonly data: readonly Row[];
}

const DAY = 86_400_000;
const COMMISSIONS = '/api/partner/commissions';

export function portalDataContract(open: OpenEngine): void {
  let portal: PartnerWorld;
  /** Pat's commissions, oldest first: two in `main`, one in `side`, and one in `away`. */
  let ids: readonly number[];
  let robsCommission: number;
  /** Payouts in `main`. */
  let payouts: { pat: number; rob: number };

  beforeAll(async () => {
    portal = await openPartnerWorld(open);
    const { main, side, away, world, inMain, robInMain } = portal;
    // Only requests with a session need the current time. The sales and the refund use no session, so they
    // can be made in the past.
    const now = world.clock.now;
    world.clock.now = now - 2 * DAY;
    const first = await portal.sell(main, 'pat-main', 5000);
    robsCommission = await portal.sell(main, 'code-of-rob', 777_700);
    world.clock.now = now - DAY;
    const second = await portal.sell(main, 'pat-main', 9000);
    await portal.refund(main, second, { refund_amount_cents: 3000, refund_reason: 'Broken' });
    world.clock.now = now;
    const third = await portal.sell(side, 'pat-side', 6000);
    const fourth = await portal.sell(away, 'pat-away', 7000);
    await portal.sell(away, 'code-of-sid', 888_800);
    ids = [first, second, third, fourth];
    const path = `${PROGRAMS}/${main.id}`;
    for (const id of [first, robsCommission]) {
      await portal.ask(main.owner, `${path}/commissions/${id}/approve`, 'POST', {});
    }
    const { data } = await portal.ask<{ data: { id: number; partner_id: number }[] }>(
      main.owner,
      `${path}/payouts`,
      'POST',
      {},
    );
    const payoutOf = (partnerId: number) => data.find(({ partner_id }) => partner_id === partnerId)?.id ?? 0;
    payouts = { pat: payoutOf(inMain.id), rob: payoutOf(robInMain.id) };
    await portal.ask(main.owner, `${path}/payouts/${payouts.pat}/mark-paid`, 'POST', { reference: 'SEPA-1' });
    await world.affkit.jobs.runOnce();
  });
  afterAll(() => portal.world.close());

  const status = async (target: string, { token }: { readonly token: string } = portal.pat) =>
    (await portal.world.call('GET', target, { token })).status;
  const listedIds = async (query: string, by: { readonly token: string } = portal.pat) =>
    (await portal.ask<List>(by, `${COMMISSIONS}?${query}`)).data.map(({ id }) => id);

  it("sums only the partner's commissions, with the filters of the list", async () => {
    const { main, inAway } = portal;
    const queries = [
      '',
      'status=paid',
      `program_id=${main.id}`,
      `partner_id=${inAway.id}`,
      `payout_id=${payouts.pat}`,
      `q=${ids[2]}`,
      'dateFrom=2026-01-14&dateTo=2026-01-14',
      'dateFrom=2026-01-13T12:30:00Z&dateTo=2026-01-15T11:59:59Z',
      'dateFrom=2026-01-13T12:00:00Z&dateTo=2026-01-13T12:00:00Z',
      'dateTo=2026-01-12',
    ];
    const counts: number[] = [];
    for (const query of queries) {
      const { data } = await portal.ask<List>(portal.pat, `${COMMISSIONS}?pageSize=100&${query}`);
      counts.push(data.length);
      expect({ query, totals: await portal.ask(portal.pat, `${COMMISSIONS}/totals?${query}`) }).toEqual({
        query,
        totals: { success: true, data: sum(data) },
      });
    }
    expect(counts).toEqual([4, 1, 2, 1, 1, 1, 1, 1, 1, 0]);
    const { data } = await portal.ask<List>(portal.rob, `${COMMISSIONS}/totals`);
    expect(data).toMatchObject([{ status: 'approved', count: 1, amount_cents: 77_770 }]);
  });

  it('finds only commissions of the partner, by their id or a whole transaction id', async () => {
    expect(await listedIds(`q=${ids[1]}`)).toEqual([ids[1]]);
    expect(await listedIds(`q=${encodeURIComponent(`#${ids[1]}`)}`)).toEqual([ids[1]]);
    const { processor_event_id: transaction } = await portal.world.engine.read
      .selectFrom('commissions')
      .innerJoin('sales', (join) =>
        join
          .onRef('sales.program_id', '=', 'commissions.program_id')
          .onRef('sales.id', '=', 'commissions.sale_id'),
      )
      .select('processor_event_id')
      .where('commissions.id', '=', ids[2] ?? 0)
      .executeTakeFirstOrThrow();
    expect(await listedIds(`q=${transaction}`)).toEqual([ids[2]]);
    for (const q of [transaction.slice(0, -1), 'txn-', robsCommission, 'txn-2', '#0', '9007199254740993']) {
      expect(await listedIds(`q=${encodeURIComponent(q)}`)).toEqual([]);
    }
    expect(await listedIds(`payout_id=${payouts.rob}`)).toEqual([]);
  });

  it('returns a single commission or payout, and 404 for those of other partners', async () => {
    const commission = await portal.ask<{ data: Row }>(portal.pat, `${COMMISSIONS}/${ids[0]}`);
    const { data: listed } = await portal.ask<List>(portal.pat, `${COMMISSIONS}?payout_id=${payouts.pat}`);
    expect([commission.data]).toEqual(listed);
    const payout = await portal.ask<{ data: object }>(portal.pat, `/api/partner/payouts/${payouts.pat}`);
    expect(payout.data).toMatchObject({
      id: payouts.pat,
      status: 'paid',
      amount_cents: 500,
      reference: 'SEPA-1',
      program_name: 'main-shop',
      workspace_name: 'Acme',
      partner_name: 'pat',
      partner_email: 'pat@partner.test',
      payee: null,
    });
    for (const target of [
      `${COMMISSIONS}/${robsCommission}`,
      `${COMMISSIONS}/99999999`,
      `/api/partner/payouts/${payouts.rob}`,
      '/api/partner/payouts/99999999',
    ]) {
      expect({ target, status: await status(target) }).toEqual({ target, status: 404 });
    }
    expect(await status(`/api/partner/payouts/${payouts.pat}`, portal.rob)).toBe(404);
    expect(await status(`${COMMISSIONS}/${ids[0]}`, portal.main.owner)).toBe(403);
  });

  /** Stores emails to Pat and Rob, and an application of Pat in a program that is then deleted. */
  async function storePersonalRows(): Promise<void> {
    const { world, pat, rob, main, side, inMain, inSide, robInMain } = portal;
    await world.engine.write(0, async ({ db }) => {
      const program = await db
        .selectFrom('programs')
        .select('workspace_id')
        .where('id', '=', main.id)
        .executeTakeFirstOrThrow();
      const recipients = [
        [pat.email, null],
        [rob.email, null],
        ['pat@partner.test', inMain.id],
        // An email that is sent to Pat's address but is about another partner, Rob.
        ['pat@partner.test', robInMain.id],
      ] as const;
      for (const [index, [email, partnerId]] of recipients.entries()) {
        await db
          .insertInto('emails')
          .values({
            message_key: `key ${index}`,
            kind: 'payout_paid',
            workspace_id: program.workspace_id,
            program_id: main.id,
            recipient: email,
            sealed_token: 'sealed-code-of-the-link',
            status: 'sent',
            attempts: 1,
            run_at: 5,
            expires_at: 7,
            last_error: null,
            created_at: 5,
            finished_at: 6,
            data: partnerId === null ? null : JSON.stringify({ partnerId }),
            dedupe_key: null,
          })
          .execute();
      }
      for (const recipient of [pat.email, rob.email]) {
        await db
          .insertInto('email_opt_outs')
          .values({ recipient, category: 'monthly_summary', created_at: 5 })
          .execute();
      }
      const answers = [{ question: 'where', label: 'Where?', type: 'text', answer: 'On my blog' }];
      await db
        .insertInto('applications')
        .values({
          program_id: side.id,
          partner_id: inSide.id,
          answers: JSON.stringify(answers),
          invitation_code: null,
          approved_by: null,
          applied_at: 5,
          email_confirmed_at: null,
        })
        .execute();
      await db.updateTable('programs').set({ deleted_at: 1 }).where('id', '=', side.id).execute();
    });
  }

  it('exports every row of the partner, and no row of another partner', async () => {
    const { pat, inMain, inSide, inAway } = portal;
    const details = { partner_id: inMain.id, method: 'paypal', email: 'money@pat.test' };
    await portal.ask(pat, '/api/partner/payout-details', 'PUT', details);
    await storePersonalRows();
    const {
      status: code,
      headers,
      body,
    } = await portal.world.call<string>('GET', '/api/partner/export', pat);
    expect({ code, type: headers['content-type'] }).toEqual({
      code: 200,
      type: 'application/x-ndjson; charset=utf-8',
    });
    const lines = body
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { record: string; data: Record<string, unknown> });
    const rows = (name: string) => lines.filter(({ record }) => record === name).map(({ data }) => data);
    const lists = async (path: string) =>
      (await portal.ask<List>(pat, `/api/partner/${path}?pageSize=100`)).data;
    const paid = await portal.ask<{ data: object }>(pat, `/api/partner/payouts/${payouts.pat}`);
    // The payout was paid before the partner had entered payout details, so the payment method is unknown.
    expect(paid.data).toMatchObject({
      payee: { method: null, tax_name: null, tax_id: null, address: null },
    });
    expect(JSON.stringify(paid.data)).not.toContain('money@pat.test');
    expect(lines.at(-1)).toEqual({ record: 'end', data: { records: lines.length - 1 } });
    expect(rows('user')).toEqual([{ id: pat.userId, email: pat.email, name: 'Ann' }]);
    expect(rows('session')).toMatchObject([{ current: true }]);
    expect(rows('partner').map(({ id }) => id)).toEqual([inMain.id, inAway.id]);
    expect(rows('enrollment').map(({ partner_program_id: id }) => id)).toEqual([
      inMain.enrollmentId,
      inSide.enrollmentId,
      inAway.enrollmentId,
    ]);
    expect(rows('payout_details')).toMatchObject([details]);
    expect(rows('link').map(({ short_link }) => short_link)).toEqual(['pat-away', 'pat-side', 'pat-main']);
    for (const [record, path] of [
      ['commission', 'commissions'],
      ['payout', 'payouts'],
      ['notification', 'notifications'],
    ] as const) {
      expect(rows(record)).toEqual(await lists(path));
      expect(rows(record).length).toBeGreaterThan(0);
    }
    expect(rows('enrollment').map((row) => row['program_deleted'])).toEqual([false, true, false]);
    expect(rows('application')).toMatchObject([
      { program_id: portal.side.id, answers: [{ answer: 'On my blog' }], approved_by: null },
    ]);
    const email = {
      id: expect.any(Number),
      kind: 'payout_paid',
      workspace_id: expect.any(Number),
      program_id: portal.main.id,
      status: 'sent',
      created_at: '1970-01-01T00:00:00.005Z',
      finished_at: '1970-01-01T00:00:00.006Z',
    };
    expect(rows('email')).toEqual([
      { ...email, recipient: pat.email },
      { ...email, recipient: 'pat@partner.test' },
    ]);
    expect(rows('email_opt_out')).toMatchObject([{ recipient: pat.email, category: 'monthly_summary' }]);
    expect(rows('membership')).toEqual([]);
    const changes = rows('change');
    expect(changes).toContainEqual(
      expect.objectContaining({ action: 'partner.update_payout_details', made_by: 'you' }),
    );
    expect(changes).toContainEqual(
      expect.objectContaining({
        action: 'partner.create',
        made_by: 'others',
        after: expect.objectContaining({ email: 'pat@partner.test' }),
      }),
    );
    for (const { subject } of changes) {
      expect(subject).toMatchObject({ kind: 'partner', id: expect.toBeOneOf([inMain.id, inAway.id]) });
    }
    const text = body.replaceAll(pat.email, '');
    expect(text).not.toMatch(ADVERTISER_SECRETS);
    expect(text).not.toMatch(/code-of|rob|sid@|77770|88880|sealed/);
    await portal.world.engine.write(0, ({ db }) =>
      db.updateTable('programs').set({ deleted_at: null }).where('id', '=', portal.side.id).execute(),
    );
  });

  it('counts an export as one of the two files that a user may load at the same time', async () => {
    const start = async () => {
      const reply = await portal.world.affkit.handle({
        method: 'GET',
        path: '/api/partner/export',
        query: new URLSearchParams(),
        header: (name) => (name === 'authorization' ? `Bearer ${portal.pat.token}` : undefined),
        body: () => Promise.resolve(new Uint8Array()),
        ip: null,
        secure: true,
      });
      return { status: reply?.status, body: reply?.body as ReadableStream };
    };
    const [first, second] = [await start(), await start()];
    expect([first.status, second.status]).toEqual([200, 200]);
    expect(await status(`${COMMISSIONS}.csv`)).toBe(503);
    portal.world.clock.now += 5_000;
    const third = await start();
    expect(third.status).toBe(200);
    await expect(new Response(first.body).text()).rejects.toThrow('another export needs its slot');
    for (const { body } of [second, third]) {
      expect(await new Response(body).text()).toMatch(/\{"record":"end","data":\{"records":\d+\}\}\n$/);
    }
  });

  it('changes only the name of the user, not the names of the partners', async () => {
    const { pat, world } = portal;
    const user = { id: pat.userId, email: pat.email, name: 'Patricia Doe' };
    expect(await portal.ask(pat, '/api/auth/me', 'PUT', { name: ' Patricia Doe ' })).toEqual({
      success: true,
      user,
    });
    expect(await portal.ask(pat, '/api/partner/me')).toMatchObject({
      user,
      partners: [{ name: 'pat' }, { name: 'pat' }],
    });
    for (const body of [{}, { name: '' }, { name: 'A', email: 'x@y.test' }]) {
      expect(await world.call('PUT', '/api/auth/me', { token: pat.token, body })).toMatchObject({
        status: 400,
        body: { code: 'invalid_field' },
      });
    }
  });
}

/** Returns the totals of the rows, ordered by status and currency. */
function sum(rows: readonly Row[]): object[] {
  const groups = Map.groupBy(rows, ({ status, currency }) => `${status} ${currency}`);
  const total = (of: readonly Row[], name: 'amount_cents' | 'deducted_cents' | 'adjusted_cents') =>
    of.reduce((all, row) => all + row[name], 0);
  return [...groups]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, of]) => ({
      status: key.split(' ')[0],
      currency: key.split(' ')[1],
      count: of.length,
      amount_cents: total(of, 'amount_cents'),
      deducted_cents: total(of, 'deducted_cents'),
      adjusted_cents: total(of, 'adjusted_cents'),
    }));
}
