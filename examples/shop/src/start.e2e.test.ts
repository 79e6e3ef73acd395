import { exec } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { listen } from '../../../packages/core/test/support/listen.ts';
import { makeTempFolder } from '../../../packages/core/test/support/make-temp-folder.ts';
import { byDepth } from '../../../packages/core/test/support/test-depth.ts';
import { createDatabase } from '../test/database.ts';
import { type DemoProcess, runDemo, startDemo } from '../test/demo-process.ts';

const PARTNER = 'The Steeping Room';
const RIVAL = 'Slow Kitchen Letters';

let folder = '';
let browser: Browser;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'affkit-demo-'));
  browser = await chromium.launch({
    executablePath: process.env['HEADLESS_SHELL_PATH'] ?? 'chromium',
    args: ['--no-sandbox', '--disable-blink-features=AutomationControlled'],
  });
});

afterAll(async () => {
  await browser.close();
  rmSync(folder, { recursive: true, force: true });
});

/**
 * Opens a visitor's browser that the tracker does not classify as a bot.
 * @param onFinished registers the cleanup; concurrent tests must pass the `onTestFinished` of their context
 */
async function openBrowser(onFinished = onTestFinished): Promise<BrowserContext> {
  const version = browser.version().split('.')[0];
  const context = await browser.newContext({
    userAgent: `Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${version}.0.0.0 Safari/537.36`,
  });
  onFinished(() => context.close());
  return context;
}

/** Waits until the panel shows the balance. */
const balance = (page: Page, partner: string, amount: string) =>
  page.locator(`[data-partner="${partner}"] .balance`, { hasText: amount }).waitFor();

/** Waits until the panel shows an event that contains the text. */
const event = (page: Page, kind: string, text: string) =>
  page.locator(`[data-event="${kind}"]`, { hasText: text }).first().waitFor();

const colorOf = (page: Page, selector: string) =>
  page.locator(selector).evaluate((element) => getComputedStyle(element).color);

/** The link that signs the owner in to the dashboard. */
const SIGN_IN_LINK = /^ {2}(\S+\/app\/sign-in#affs_\S+)$/m;

const printed = (demo: DemoProcess, pattern: RegExp) => pattern.exec(demo.text())?.[1] ?? '';

const readState = (own: string): Record<string, unknown> =>
  JSON.parse(readFileSync(join(own, 'demo.json'), 'utf8'));

/** Signs in with the printed URL and email. Returns the response status. */
async function signIn(demo: DemoProcess, password: string): Promise<number> {
  const body = JSON.stringify({ email: printed(demo, /Owner +(\S+)/), password });
  const url = `${printed(demo, /API +(\S+)\/docs/)}/api/auth/login`;
  return (await fetch(url, { method: 'POST', body })).status;
}

async function signUp(page: Page, name = 'A visitor'): Promise<void> {
  await page.getByLabel('Name').fill(name);
  await page.getByLabel('Email').fill('visitor@example.com');
  await page.getByRole('button', { name: 'Sign up' }).click();
}

/** A demo without a dashboard starts faster, because it does not run the CLI to create sign-in links. */
const NO_DASHBOARD = { DASHBOARD: 'off' };
const onSqlite = { SQLite: async () => runDemo(folder, NO_DASHBOARD) };
const onPostgres = {
  Postgres: async () =>
    runDemo(join(folder, 'postgres'), {
      DATABASE_URL: await createDatabase(),
      AFFKIT_SECRET: 's'.repeat(32),
      ...NO_DASHBOARD,
    }),
};
const databases = byDepth({ short: onSqlite, long: { ...onSqlite, ...onPostgres } });

test.each(Object.entries(databases))(
  'on %s a visitor clicks, signs up, buys and gets a refund, and the panel shows each step with exact amounts',
  async (_name, run) => {
    const demo = await run();
    const link = (await demo.links).get(PARTNER) ?? '';
    const context = await openBrowser();
    const page = await context.newPage();
    const problems: string[] = [];
    page.on('pageerror', (error) => problems.push(error.message));
    page.on('console', (message) => {
      if (message.type() === 'error') problems.push(message.text());
    });

    await page.goto(link);
    await event(page, 'click', PARTNER);
    const [cookie] = (await context.cookies()).filter(({ name }) => name === 'service_click_id');
    expect(cookie).toMatchObject({
      value: expect.stringMatching(/^clk_/),
      domain: 'localhost',
      path: '/',
      sameSite: 'Lax',
      httpOnly: false,
      secure: false,
    });

    await page.getByRole('link', { name: 'Sign up' }).click();
    await signUp(page);
    await event(page, 'lead', 'server');
    expect(await page.locator('.facts').textContent()).toContain('v***@example.com');

    await page.locator('li', { hasText: 'First-flush sampler' }).getByRole('button', { name: 'Buy' }).click();
    await event(page, 'sale', '$19.99');
    await event(page, 'commission', '+$4.00');
    await balance(page, PARTNER, '$4.00');
    await page.locator('.stages [aria-current]', { hasText: 'sale' }).waitFor();

    await page.getByLabel('Refund, in dollars').fill('5.00');
    await page.getByRole('button', { name: 'Refund' }).click();
    await event(page, 'refund', '−$5.00');
    await event(page, 'refund', '$1.00 deducted from the commission');
    await event(page, 'commission', `for ${PARTNER}, partly refunded`);
    await balance(page, PARTNER, '$3.00');
    await balance(page, RIVAL, '$0.00');

    await page.getByRole('link', { name: 'Back to the shop' }).click();
    await page.locator('li', { hasText: 'Cast-iron kettle' }).getByRole('button', { name: 'Buy' }).click();
    await event(page, 'commission', '+$15.00');
    await balance(page, PARTNER, '$18.00');
    const earned = await colorOf(page, '[data-event="commission"] .amount >> nth=0');
    await page.getByRole('button', { name: 'Refund' }).click();
    await balance(page, PARTNER, '$3.00');
    expect(await colorOf(page, '[data-event="commission"].reversed .amount')).not.toBe(earned);
    expect(await colorOf(page, '[data-event="commission"]:not(.reversed) .amount')).toBe(earned);
    expect(problems).toEqual([]);

    demo.child.kill('SIGINT');
    expect(await demo.exited).toBe(0);
    await expect(fetch(link)).rejects.toThrow();
  },
);

describe.concurrent('in a running demo', () => {
  let demo: DemoProcess;
  let links: ReadonlyMap<string, string>;
  beforeAll(async () => {
    demo = startDemo(join(folder, 'shared'), NO_DASHBOARD);
    links = await demo.links;
    return () => void demo.child.kill('SIGKILL');
  });

  test('the first start prints the API docs URL and a working password, and writes a state file that only its owner can read', async () => {
    expect(await (await fetch(printed(demo, /API +(\S+)/))).text()).toContain('/api/auth/login');
    expect(await signIn(demo, printed(demo, /password (\S+) /))).toBe(200);
    expect(statSync(join(folder, 'shared', 'demo.json')).mode & 0o777).toBe(0o600);
  });

  test('a customer who signs up before opening a link becomes a lead, and the partner gets the commission', async ({
    onTestFinished,
  }) => {
    const page = await (await openBrowser(onTestFinished)).newPage();
    await page.goto(new URL('/signup', links.get(RIVAL)).href);
    await signUp(page);
    await page.getByText('Open a partner’s link below').waitFor();
    await page.locator(`[data-partner="${RIVAL}"] a`).click();
    await event(page, 'lead', 'server');
    await page.getByText('Now buy something.').waitFor();
    await page.locator('li', { hasText: 'First-flush sampler' }).getByRole('button', { name: 'Buy' }).click();
    await event(page, 'commission', `for ${RIVAL}`);
  });

  test('a sale without a partner is shown with the reason', async ({ onTestFinished }) => {
    const page = await (await openBrowser(onTestFinished)).newPage();
    await page.goto(new URL('/signup', links.get(RIVAL)).href);
    await signUp(page);
    await page.locator('li', { hasText: 'Cast-iron kettle' }).getByText('$15.00 flat').waitFor();
    await page.locator('li', { hasText: 'Cast-iron kettle' }).getByRole('button', { name: 'Buy' }).click();
    await page.getByText('No partner brought you here').waitFor();
    await event(page, 'unattributed', '$129.50');
  });

  test('on a phone the panel comes first and leaves room for the shop', async ({ onTestFinished }) => {
    const link = links.get(RIVAL) ?? '';
    const page = await (await openBrowser(onTestFinished)).newPage();
    await page.setViewportSize({ width: 390, height: 844 });
    await page.goto(link);
    await event(page, 'click', RIVAL);
    const panel = await page.locator('#panel').boundingBox();
    expect(panel?.y).toBe(0);
    expect(panel?.height).toBeLessThan(500);
  });

  test('on a phone the header stays on one line with a long name', async ({ onTestFinished }) => {
    const link = links.get(RIVAL);
    const page = await (await openBrowser(onTestFinished)).newPage();
    await page.setViewportSize({ width: 390, height: 844 });
    await page.goto(new URL('/signup', link).href);
    const header = page.locator('header');
    // Leave out `y`, because the panel above the form loads later and moves the form.
    const measure = async () => ({ ...(await header.boundingBox()), y: null });
    const before = await measure();
    expect(before).toMatchObject({ height: expect.any(Number) });
    await signUp(page, 'Maximiliana Wolkenstein-Hohenlohe von der Heide');
    await header.getByText('Maximiliana').waitFor();
    // The styles of the next page may still be loading.
    await page.waitForLoadState();
    expect(await measure()).toEqual(before);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
  });

  describe('the panel explains why a link recorded no click', () => {
    const hint = (page: Page) => page.locator('.panel .hint');

    test('when the visitor is a bot', async ({ onTestFinished }) => {
      const robot = await browser.newPage({ userAgent: 'Mozilla/5.0 (compatible; Examplebot/1.0)' });
      onTestFinished(() => robot.close());
      await robot.goto(links.get(PARTNER) ?? '');
      await hint(robot).getByText('calls itself a bot').waitFor();
    });

    test('when the code is unknown', async ({ onTestFinished }) => {
      const page = await (await openBrowser(onTestFinished)).newPage();
      const click = Promise.withResolvers<void>();
      await page.route('**/track/click', (route) => click.promise.then(() => route.continue()));
      await page.goto(new URL('/?aff=nobody', links.get(PARTNER)).href);
      await hint(page).getByText('waiting for the click').waitFor();
      click.resolve();
      await hint(page).getByText('no click was recorded: the link’s code is unknown').waitFor();
      const said = page.waitForEvent('console', (message) => message.text().includes('[affkit]'));
      await hint(page).getByRole('link').click();
      await said;
    });

    test('when the tracker is blocked', async ({ onTestFinished }) => {
      const context = await openBrowser(onTestFinished);
      await context.route('**/js/affkit.js', (route) => route.abort('blockedbyclient'));
      const blocked = await context.newPage();
      await blocked.goto(links.get(PARTNER) ?? '');
      await hint(blocked).getByText('the tracker was not loaded').waitFor();
    });
  });

  test('all processes exit when the process that started them is killed', { concurrent: false }, async () => {
    const link = links.get(PARTNER) ?? '';
    expect((await fetch(link)).status).toBe(200);
    demo.child.kill('SIGKILL');
    expect(await demo.exited).toBe('SIGKILL');
    await expect
      .poll(() =>
        fetch(link).then(
          () => 'answers',
          () => 'gone',
        ),
      )
      .toBe('gone');
  });
});

test('after an interrupted first start, the next start records the history, and the printed link opens the dashboard once', async () => {
  const own = makeTempFolder();
  const state = () => (existsSync(join(own, 'demo.json')) ? readState(own) : null);
  const interrupted = runDemo(own, { DEMO_HISTORY: 'on' });
  await expect.poll(state).toHaveProperty('recording', 'sqlite:affkit.db');
  interrupted.child.kill('SIGKILL');
  await interrupted.exited;

  const demo = runDemo(own, { DEMO_HISTORY: 'on' });
  await demo.links;
  // The demo writes this state after it has printed the links.
  await expect.poll(state).toMatchObject({ step: 'seeded', programId: 1 });
  const page = await (await openBrowser()).newPage();
  const link = printed(demo, SIGN_IN_LINK);
  await page.goto(link);
  await page.getByRole('link', { name: 'Partners', exact: true }).click();
  for (const [partner, status] of [
    ['Discount Drops', 'Approved'],
    ['Teehaus am Fluss', '€'],
    ['Ocha Diary', '¥'],
    ['The Tea Atlas', 'Pending'],
  ] as const) {
    await page.getByRole('row', { name: partner }).getByText(status).first().waitFor();
  }
  await page.getByRole('link', { name: 'Commissions' }).click();
  await page.getByRole('row').nth(10).waitFor();
  await page.getByRole('link', { name: 'Payouts' }).click();
  for (const status of ['Pending', 'Paid']) {
    await page.getByRole('row', { name: status }).first().waitFor();
  }

  const other = await (await openBrowser()).newPage();
  await other.goto(link);
  await other.getByLabel('Password').waitFor();
});

test('a second start on another port keeps the data of an older version, and prints no password', async () => {
  // The state file of an older version has no database name.
  const state = { ...readState(folder), database: undefined };
  writeFileSync(join(folder, 'demo.json'), JSON.stringify(state));
  const elsewhere = `sqlite:${join(folder, 'other.db')}`;
  const lost = runDemo(folder, { DATABASE_URL: elsewhere });
  expect(await lost.exited).toBe(1);
  expect(lost.text()).toContain(
    `does not belong to the database ${elsewhere}, which rejects the demo's key. Set DATABASE_URL as it was`,
  );

  const demo = runDemo(folder);
  const links = await demo.links;
  const [, environment = '', command = ''] =
    /shown at the first start\. To reset it: (\S+) npm run --silent affkit -- (.+)$/m.exec(demo.text()) ?? [];
  // The command that the npm script runs.
  const affkit = `${environment} '${process.execPath}' packages/server/dist/cli.js ${command}`;
  const { stdout } = await promisify(exec)(affkit, { cwd: join(import.meta.dirname, '../../..') });
  expect(await signIn(demo, /password (\w+) /.exec(stdout)?.[1] ?? '')).toBe(200);
  expect(demo.text()).not.toMatch(/password \S+ +\(shown/);
  expect(printed(demo, SIGN_IN_LINK)).not.toBe('');
  const page = await (await openBrowser()).newPage();
  await page.goto(links.get(RIVAL) ?? '');
  await event(page, 'click', RIVAL);
  await balance(page, PARTNER, '$3.00');

  await page.getByRole('button', { name: 'Start over' }).click();
  await page.getByText('Nothing yet.').waitFor();
  await page.goto(links.get(PARTNER) ?? '');
  await event(page, 'click', PARTNER);
  demo.child.kill('SIGTERM');
  expect(await demo.exited).toBe(0);
  expect(readState(folder)).toMatchObject({ database: 'sqlite:affkit.db' });
});

test.each(['PORT', 'SHOP_PORT'])('exits with a helpful message if %s is in use', async (variable) => {
  const { port } = new URL(await listen(() => {}));
  const demo = runDemo(join(folder, 'unused'), { [variable]: port });
  expect(await demo.exited).toBe(1);
  expect(demo.text()).toMatch(
    new RegExp(`^${variable} ${port} is in use\\. .*set another port, e.g. ${variable}=\\d+ npm start$`),
  );
});

test('owner credentials that the server rejected can be corrected at the next start', async () => {
  const own = join(folder, 'refused');
  const refused = runDemo(own, { ADMIN_EMAIL: 'me@example.com', ADMIN_PASSWORD: 'short' });
  expect(await refused.exited).toBe(1);
  expect(refused.text()).toMatch(/^ADMIN_PASSWORD must have at least 8 characters\.$/m);
  const demo = runDemo(own, { ADMIN_PASSWORD: 'long enough', ...NO_DASHBOARD });
  await demo.links;
  expect(demo.text()).toMatch(/Owner +me@example\.com\n +password long enough /);
});

test('exits with a helpful message if the data folder cannot be used', async () => {
  const own = makeTempFolder();
  const file = join(own, 'demo.json');
  writeFileSync(file, '{');
  for (const [unusable, advice] of [
    [file, 'Set another folder'],
    [join(file, 'data'), 'Set another folder'],
    [own, 'Set another folder, or delete demo.json, shop.json and affkit.db* in this folder to start over'],
  ] as const) {
    const demo = runDemo(unusable);
    expect(await demo.exited).toBe(1);
    const [, problem] = demo.text().split(/^DATA_DIR .+ can't be used \(.+\)\. /);
    expect(problem).toBe(advice);
  }
});

test('does not start with a database that the demo did not create', async () => {
  expect(readState(folder)).toMatchObject({ database: 'sqlite:affkit.db' });
  const url = 'postgres://me:secret@127.0.0.1:9/shop';
  const other = runDemo(folder, { DATABASE_URL: url, AFFKIT_SECRET: 's'.repeat(32) });
  expect(await other.exited).toBe(1);
  expect(other.text()).toBe(
    `The demo's data in DATA_DIR ${folder} belongs to the database sqlite:${join(folder, 'affkit.db')}, not to ` +
      'postgres://127.0.0.1:9/shop. Unset DATABASE_URL, or set another DATA_DIR for a second demo',
  );
});
