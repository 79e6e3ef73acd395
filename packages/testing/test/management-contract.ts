import {
  Affkit,
  AffkitAuthenticationError,
  AffkitConflictError,
  AffkitError,
  AffkitNotFoundError,
  AffkitPermissionError,
  AffkitValidationError,
} from '@affkit/node';
import { AffkitManagement, type ManagementOptions, sendSales } from '@affkit/node/management';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TestAffkit } from '../src/index.ts';

const OWNER = { email: 'owner@affkit.test', password: 'password for tests only' };
const PROGRAM = {
  name: 'Other',
  site_url: 'https://other.test',
  commission: { type: 'percent', rate: 10 },
} as const;

/** Signs in as the owner of the test server. */
export async function signIn({ baseUrl, fetch }: TestAffkit): Promise<string> {
  const signedIn = await fetch(`${baseUrl}/api/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(OWNER),
  });
  return ((await signedIn.json()) as { token: string }).token;
}

/** Creates a management client of the test server. */
export function connectTo(
  { baseUrl, programId, fetch }: TestAffkit,
  apiKey: string,
  options: ManagementOptions = {},
): AffkitManagement {
  return new AffkitManagement({ apiKey, baseUrl, programId, fetch, logLevel: 'off', ...options });
}

/** Returns the error of a promise that must reject. */
export async function rejectionOf(promise: Promise<unknown>): Promise<unknown> {
  return await promise.then(
    () => expect.unreachable('The call should fail'),
    (error: unknown) => error,
  );
}

/** Tests the management client with core, on any database. */
export function managementContract(start: () => Promise<TestAffkit>): void {
  let server: TestAffkit;
  let session: string;
  let client: AffkitManagement;

  beforeAll(async () => {
    server = await start();
    session = await signIn(server);
    client = connect(await server.createApiKey());
  });

  afterAll(() => server.close());

  const connect = (apiKey: string, options?: ManagementOptions) => connectTo(server, apiKey, options);

  test('lists are iterated page by page', async () => {
    for (const name of ['Anna', 'Ben', 'Cleo']) {
      await client.partners.create({ name, email: `${name}@pages.example`, status: 'approved' });
    }
    const list = client.partners.list({ q: '@pages.example', sort: 'name', order: 'asc', pageSize: 2 });
    const names: string[] = [];
    for await (const { name } of list) names.push(name);
    expect(names).toEqual(['Anna', 'Ben', 'Cleo']);
    const sizes: number[] = [];
    for await (const { data, total } of list.pages()) sizes.push(data.length, total);
    expect(sizes).toEqual([2, 3, 1, 3]);
    expect(await list.page(2)).toMatchObject({ page: 2, pageCount: 2, data: [{ name: 'Cleo' }] });
    const none = client.partners.list({ status: 'banned' });
    for await (const partner of none) expect.unreachable(partner.email);
  });

  test('payout details that do not exist, and a batch without payouts, are null', async () => {
    const { id } = await client.partners.create({ name: 'Dora', email: 'dora@blog.example' });
    expect(await client.payoutDetails.get(id)).toBeNull();
    const batch = await client.payoutBatches.create({
      channel: 'file:csv',
      currency: 'USD',
      payout_ids: [999],
    });
    expect(batch).toMatchObject({
      data: null,
      left_out: [{ payout_id: 999, reason: 'not_found' }],
    });
  });

  test('a program is managed from its first partner to a paid payout', async () => {
    const program = await client.programs.create({
      name: 'Tea Shop',
      site_url: 'https://shop.test',
      hold_days: 0,
      commission: { type: 'percent', rate: 20 },
    });
    const tea = client.program(program.id);
    const partner = await tea.partners.create({ name: 'Tea', email: 'tea@blog.example', code: 'tea' });
    const clicked = await server.fetch(`${server.baseUrl}/api/v1/track/click`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ affiliate_url: 'https://shop.test/?aff=tea' }),
    });
    const { click_id } = (await clicked.json()) as { click_id: string };
    const { baseUrl, fetch } = server;
    const affkit = new Affkit({ token: program.api_token, baseUrl, fetch, logLevel: 'off' });
    await affkit.lead({ click_id, customer_key: 'user-1' });

    const sales = ['a', 'b', 'c', 'bad'].map((id) => ({
      transaction_id: `tea-${id}`,
      amount_cents: id === 'bad' ? -1 : 10_000,
      customer_key: 'user-1',
    }));
    const outcomes = new Map<string, string>();
    for await (const { sale, result, error } of sendSales(affkit, sales, { concurrency: 2 })) {
      outcomes.set(sale.transaction_id, error === undefined ? result.status : error.code);
    }
    expect(Object.fromEntries(outcomes)).toEqual({
      'tea-a': 'recorded',
      'tea-b': 'recorded',
      'tea-c': 'recorded',
      'tea-bad': 'invalid_field',
    });

    const { data: commissions } = await tea.commissions.list({ partner_id: partner.id }).page();
    expect(commissions.map(({ amount_cents }) => amount_cents)).toEqual([2_000, 2_000, 2_000]);
    const ids = commissions.map(({ id }) => id);
    expect(await tea.commissions.bulk({ ids, action: 'approve' })).toMatchObject({ meta: { succeeded: 3 } });
    expect((await tea.payouts.preview()).meta.totals).toMatchObject([{ amount_cents: 6_000 }]);
    const [payout] = await tea.payouts.create();
    const paid = await tea.payouts.markPaid(payout?.id ?? 0, { reference: 'SEPA 1' });
    expect(paid).toMatchObject({ status: 'paid', amount_cents: 6_000, reference: 'SEPA 1' });
    expect(await tea.commissions.totals()).toMatchObject([{ status: 'paid', count: 3 }]);
  });

  test('an adjustment whose reply was lost is sent again with the same idempotency key', async () => {
    const partner = await server.partner({ code: 'adjusted' });
    const affkit = new Affkit({ token: server.token, baseUrl: server.baseUrl, fetch: server.fetch });
    await affkit.lead({ click_id: await partner.click(), customer_key: 'adjusted' });
    await affkit.sale({ transaction_id: 'adjusted', amount_cents: 10_000, customer_key: 'adjusted' });
    const { data: rows } = await client.commissions.list({ partner_id: partner.id }).page();
    const keys = new Set<unknown>();
    let requests = 0;
    const flaky = connect(session, {
      fetch: async (url, init) => {
        const response = await server.fetch(url, init);
        keys.add(JSON.parse(init.body ?? '{}').idempotency_key);
        requests += 1;
        if (requests === 1) throw Object.assign(new TypeError('fetch failed'), { code: 'ECONNRESET' });
        return response;
      },
    });
    const adjusted = await flaky.commissions.adjust(rows[0]?.id ?? 0, {
      amount_cents: -500,
      reason: 'Return',
    });
    expect([adjusted.adjusted_cents, requests, keys.size]).toEqual([-500, 2, 1]);
    expect(await partner.balanceCents()).toBe(1_500);
  });

  test('server errors have the same classes as in the tracking client', async () => {
    const [missing, invalid, taken, revoked] = [
      await rejectionOf(client.partners.get(999_999)),
      await rejectionOf(client.partners.create({ name: 'X', email: 'no address' })),
      await rejectionOf(
        client.programs
          .create({ ...PROGRAM, slug: 'taken' })
          .then(() => client.programs.create({ ...PROGRAM, slug: 'taken' })),
      ),
      await rejectionOf(connect('affk_unknown').programs.list().page()),
    ];
    expect(missing).toBeInstanceOf(AffkitNotFoundError);
    expect(missing).toMatchObject({ code: 'not_found', status: 404, requestId: expect.any(String) });
    expect(invalid).toBeInstanceOf(AffkitValidationError);
    expect(taken).toBeInstanceOf(AffkitConflictError);
    expect(revoked).toBeInstanceOf(AffkitAuthenticationError);
    expect(String(revoked)).toContain('AFFKIT_API_KEY');
    expect(JSON.stringify(revoked) + String(revoked)).not.toContain('affk_unknown');
    const { key } = await connect(session).apiKeys.create({ name: 'Reader', scopes: ['partner:list'] });
    const reader = connect(key);
    expect((await reader.partners.list().page()).data.length).toBeGreaterThan(0);
    expect(await rejectionOf(reader.payouts.create())).toBeInstanceOf(AffkitPermissionError);
    expect(await rejectionOf(reader.members.list().page())).toBeInstanceOf(AffkitError);
  });

  test('partners are imported from CSV text, and exported as a CSV stream', async () => {
    const csv = 'name,email\nImported,imported@csv.example\nBroken,no address\n';
    const imported = await client.partners.import(csv);
    expect(imported.meta).toEqual({ dry_run: false, created: 1, existing: 0, failed: 1 });
    const file = await client.partners.exportCsv({ q: 'imported@csv.example' });
    const text = await new Response(file).text();
    expect(text).toMatch(/^id,partner_program_id,name,.*\r\n\d+,\d+,Imported,/);
    expect(await rejectionOf(client.payouts.exportCsv({ partner_id: -1 }))).toBeInstanceOf(
      AffkitValidationError,
    );
  });

  test('a session reads events and the audit log, and a key reads reports', async () => {
    const admin = connect(session);
    const [event] = (await admin.events.list({ eventType: 'conversion' }).page()).data;
    expect(event?.event_type).toBe('conversion');
    expect((await admin.auditLog.list({ action: 'partner.create' }).page()).total).toBeGreaterThan(0);
    const { data } = await client.reports.series({ measures: 'clicks,revenue' });
    expect(data.series.map(({ measure }) => measure)).toContain('clicks');
    const { data: rows } = await client.reports.top({ by: 'link' });
    expect(rows.length).toBeGreaterThan(0);
    expect((await client.reports.breakdown({ by: 'country' })).success).toBe(true);
    expect((await client.customers.trace({ customer_key: 'adjusted' })).data.steps.length).toBeGreaterThan(0);
    const simulated = await client.policies.simulate({ amount_cents: 10_000, days_since_click: 1 });
    expect(simulated).toMatchObject({ amount_cents: 2_000 });
    expect(await client.dashboard.summary()).toMatchObject({ programs: expect.any(Number) });
  });
}
