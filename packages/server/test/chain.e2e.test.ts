import { Affkit } from '@affkit/node';
import { type Browser, chromium } from 'playwright-core';
import { afterAll, beforeAll, expect, inject, onTestFinished, test } from 'vitest';
import { listen } from '../../core/test/support/listen.ts';
import { createDatabase } from '../../core/test/support/postgres-server.ts';
import { byDepth } from '../../core/test/support/test-depth.ts';
import { runServer, type ServerProcess } from './server-process.ts';

const OWNER = { email: 'owner@shop.example', password: 'correct horse battery' };
const SHOP_HOST = 'www.shop.test';
const TRACK_HOST = 'track.shop.test';

let browser: Browser;
beforeAll(async () => {
  browser = await chromium.launch({
    executablePath: process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium',
    args: [
      '--no-sandbox',
      '--disable-background-networking',
      '--disable-blink-features=AutomationControlled',
      `--host-resolver-rules=MAP ${SHOP_HOST} 127.0.0.1, MAP ${TRACK_HOST} 127.0.0.1`,
    ],
  });
});
afterAll(() => browser.close());

const onPostgres = { Postgres: () => createDatabase(inject('postgresUrl')) };
const onSqlite = { SQLite: async () => 'sqlite::memory:' };
const databases = byDepth({ short: onPostgres, long: { ...onPostgres, ...onSqlite } });

test.each(Object.entries(databases))(
  'records click, lead, sale and partial refund through tracker and SDK on %s',
  async (_, createUrl) => runChain(await createUrl()),
);

async function runChain(databaseUrl: string): Promise<void> {
  const server = runServer({
    DATABASE_URL: databaseUrl,
    AFFKIT_SECRET: 'a-secret-of-at-least-32-characters',
    ADMIN_EMAIL: OWNER.email,
    ADMIN_PASSWORD: OWNER.password,
  });
  const port = await server.listening;
  const shop = await startShop(`http://${TRACK_HOST}:${port}`);
  const program = await createProgram(server, shop);
  const affkit = new Affkit({ token: program.apiToken, baseUrl: `http://127.0.0.1:${port}` });
  // The tracker ignores headless Chromium, so the browser must have another user agent.
  const context = await browser.newContext({
    userAgent: 'Mozilla/5.0 (X11; Linux x86_64) Chrome/140.0.0.0 Safari/537.36',
  });
  onTestFinished(() => context.close());
  const page = await context.newPage();

  const clicked = page.waitForResponse((response) => response.url().endsWith('/api/v1/track/click'));
  await page.goto(`${shop}/?aff=anna`);
  expect((await clicked).status()).toBe(200);
  // Filter by name. The tracker also sets a short-lived test cookie to find the widest domain that
  // browsers allow.
  const find = async () => (await context.cookies(shop)).find(({ name }) => name === 'service_click_id');
  await expect.poll(find).toBeDefined();
  const cookie = await find();
  expect(cookie).toMatchObject({
    value: expect.stringMatching(/^clk_[0-9a-z]{33}$/),
    path: '/',
    sameSite: 'Lax',
    secure: false,
    httpOnly: false,
  });
  const days = ((cookie?.expires ?? 0) * 1000 - Date.now()) / 86_400_000;
  expect(days).toBeGreaterThan(59);
  expect(days).toBeLessThanOrEqual(60);

  const lead = await page.evaluate("affkit.trackLead({ customer_key: 'user-1', email: 'ann@example.com' })");
  expect(lead).toMatchObject({ success: true });

  const sale = { transaction_id: `order-${port}`, amount_cents: 1999, customer_key: 'user-1' };
  expect(await affkit.sale(sale)).toMatchObject({ status: 'recorded' });
  expect(await affkit.sale(sale)).toMatchObject({ status: 'duplicate' });
  expect(await program.partners()).toMatchObject([
    { balance_cents: 400, clicks: 1, leads: 1, conversions: 1 },
  ]);

  const occurred_at = new Date().toISOString();
  // One request can contain only about 80 of these ids, so `reconcile` sends several requests.
  const unknown = Array.from({ length: byDepth({ short: 99, long: 999 }) }, (_, index) =>
    `order-${port}-${index}-`.padEnd(255, '€'),
  );
  const found = await affkit.reconcile({
    since: new Date(),
    list: () =>
      [
        sale,
        ...unknown.map((transaction_id) => ({ transaction_id, amount_cents: 1, customer_key: 'nobody' })),
      ].map((listed) => ({ ...listed, occurred_at })),
  });
  expect(found).toMatchObject({ checked: unknown.length + 1, existing: 1, sent: 0 });
  expect([found.unattributed, found.refused]).toEqual([unknown.length, []]);

  await affkit.refund({ transaction_id: sale.transaction_id, refund_amount_cents: 999 });
  // The customer key came from a browser, where anyone can send any key with their own click. The commission therefore
  // needs an approval.
  expect(await program.partners()).toMatchObject([{ balance_cents: 200, payable_cents: 0 }]);
  const proof = { click_id: cookie?.value ?? '', customer_key: 'user-1' };
  expect(await affkit.lead(proof)).toMatchObject({ status: 'duplicate' });
  expect(await program.partners()).toMatchObject([{ balance_cents: 200, payable_cents: 200 }]);
}

/** Starts a site with one page, which includes the tracker. @returns the origin of the site */
async function startShop(trackOrigin: string): Promise<string> {
  const html = `<!doctype html><title>Shop</title><script defer src="${trackOrigin}/js/affkit.js"></script>`;
  const url = await listen((_request, response) => response.setHeader('content-type', 'text/html').end(html));
  return `http://${SHOP_HOST}:${new URL(url).port}`;
}

async function createProgram(server: ServerProcess, siteUrl: string) {
  const call = async (method: string, path: string, body?: unknown, token?: string) => {
    const response = await server.send(path, {
      method,
      headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    expect({ path, ok: response.ok }).toEqual({ path, ok: true });
    // The type contains the fields of all routes that this test calls.
    return (await response.json()) as { token: string; data: { id: number; api_token: string } };
  };
  const { token } = await call('POST', '/api/auth/login', OWNER);
  const commission = { type: 'percent', rate: 20 };
  const programs = '/api/advertiser/affiliate-programs';
  const { data } = await call('POST', programs, { name: 'Shop', site_url: siteUrl, commission }, token);
  const partners = `${programs}/${data.id}/partners`;
  await call('POST', partners, { name: 'Anna', email: 'anna@partner.example', code: 'anna' }, token);
  return {
    apiToken: data.api_token,
    partners: async () => (await call('GET', partners, undefined, token)).data as unknown as object[],
  };
}
