import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createSignInCode } from '@affkit/core';
import { WEBHOOK_EVENT_TYPES } from '@affkit/protocol';
import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { type OpenContext, openContext, settle, setUpDashboard, signIn, site } from './browser.ts';
import { findLayoutFaults } from './layout-faults.ts';

/** Nothing listens on this port, so the log of the webhook endpoint shows an error. */
const CLOSED_HOST = '127.0.0.1:9';

setUpDashboard(() => Promise.resolve({ WEBHOOK_ALLOW_HOSTS: CLOSED_HOST }));

/** The folder for screenshots, for visual checks. Without this variable, the tests save no screenshots. */
const SHOTS = process.env['AFFKIT_SCREENSHOTS'];

/** A text that breaks out of attributes and elements. */
const MARKUP = `"'></title></textarea></script><img src=x onerror=hit=1><svg onload=alert(1)>`;
/** The same text, as a URL that runs a script. */
const SCRIPT_URL = `javascript:hit=1//${MARKUP}`;
/** A text without spaces that is too long for one line. */
const UNBROKEN = 'Wörter😀'.repeat(18);
/** Returns a text with markup, followed by a long part without spaces. Each field gets its own prefix. */
const hostile = (field: string) => `${field}${MARKUP}${UNBROKEN}`;

const SALE = hostile('sale');
const REJECTED = hostile('rejected');
const CUSTOMER = hostile('customer');
const PARTNER = hostile('Partner');
const REASON = hostile('reason');
const SUB_ID = `sub${MARKUP}`;
const PRODUCT = hostile('product');
const USER_AGENT = `Mozilla/5.0 (${MARKUP}) ${MARKUP}/1.0 Chrome/120.0`;

const RTL_NAME = 'שותף 😀 عربي';
/** The ids of Stripe's checkout sessions have 66 characters. */
const CHECKOUT = `cs_test_${'a1B2c3D4e5'.repeat(6).slice(0, 58)}`;
const REJECTED_CHECKOUT = CHECKOUT.replace('test', 'live');
const LARGE_AMOUNT = 999_999_999_999;

const PROGRAMS = '/api/advertiser/affiliate-programs';
const PARTNER_LOGIN = { email: `o'hit+1@evil.example`, password: 'correct horse of a partner' };

let opened: OpenContext;
let page: Page;
let program = 0;
let partner = 0;
let rtlPartner = 0;
/** The token of the application form. The server accepts the form only when the token is a few seconds old. */
let formToken = '';
let endpoint = 0;
/** The ids of a commission and of a paid payout of the partner with the long name. */
let commission = 0;
let payout = 0;

beforeAll(async () => {
  await store();
  opened = await openContext({ width: 1280, colorScheme: 'light' });
  page = await opened.context.newPage();
  page.on('dialog', (dialog) => {
    opened.problems.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  await signIn(page);
  return () => opened.context.close();
});

/** Stores hostile texts in every field that a partner, a visitor or a shop can set. */
async function store(): Promise<void> {
  const created = await site.call<{ id: number; api_token: string }>('POST', PROGRAMS, {
    name: hostile('Program'),
    slug: 'hostile',
    site_url: 'https://shop.example',
    commission: { type: 'percent', rate: 20 },
    allowed_origins: ['*'],
  });
  program = created.id;
  const path = `${PROGRAMS}/${program}`;
  const track = <T>(name: string, body: object, token = created.api_token) =>
    site.call<T>('POST', `/api/v1/track/${name}`, body, token);
  const invited = await site.call<{ id: number; invite_token: string }>('POST', `${path}/partners`, {
    name: PARTNER,
    email: PARTNER_LOGIN.email,
    code: 'evil',
  });
  partner = invited.id;
  await fetch(`${site.url}/api/auth/accept-invite`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token: invited.invite_token, password: PARTNER_LOGIN.password }),
  });
  for (const code of [MARKUP, SCRIPT_URL]) {
    const invalid = site.call('POST', `${path}/links`, { partner_id: partner, short_link: code });
    await expect(invalid).rejects.toThrow('400');
  }
  const { click_id: clickId } = await track<{ click_id: string }>('click', {
    affiliate_url: `https://shop.example/${MARKUP}?aff=evil#${MARKUP}`,
    page_url: SCRIPT_URL,
    page_title: hostile('title'),
    referrer_url: SCRIPT_URL,
    sub_id: SUB_ID,
    user_agent: USER_AGENT,
    language: MARKUP.slice(0, 64),
    timezone: MARKUP.slice(0, 64),
  });
  await track('lead', {
    click_id: clickId,
    customer_key: CUSTOMER,
    email: `hit=1"'><img>@evil.example`,
    page_url: SCRIPT_URL,
    additional_data: { event_name: hostile('event') },
  });
  const order = { customer_key: CUSTOMER, product_id: PRODUCT, amount_cents: 4800 };
  await track('sale', { ...order, transaction_id: SALE, subscription_id: hostile('subscription') });
  const refund = { refund_amount_cents: 100, refund_id: hostile('refund'), refund_reason: REASON };
  await track('refund', { ...refund, transaction_id: SALE });
  await expect(
    track('sale', { ...order, transaction_id: REJECTED, customer_key: hostile('nobody') }),
  ).rejects.toThrow('400');
  await expect(
    track('click', { affiliate_url: SCRIPT_URL, page_url: SCRIPT_URL, sub_id: SUB_ID }),
  ).rejects.toThrow('400');
  await fetch(`${site.url}/api/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'user-agent': USER_AGENT },
    body: JSON.stringify(site.owner),
  });
  await storeMore(path, track);
}

type Track = <T>(name: string, body: object) => Promise<T>;

/** Stores large amounts in five currencies, and hostile texts in fields that only advertisers and applicants set. */
async function storeMore(path: string, track: Track): Promise<void> {
  const email = 'rtl@partner.example';
  const rtl = { name: RTL_NAME, email, code: 'r'.repeat(64) };
  ({ id: rtlPartner } = await site.call<{ id: number }>('POST', `${path}/partners`, rtl));
  const terms = { type: 'flat', amount_cents: 99_999_999, product_id: PRODUCT };
  await site.call('POST', `${path}/commission-policies`, terms);
  await site.call('POST', `${path}/commission-policies`, { ...terms, partner_id: partner });
  const sell = async (code: string, transaction_id: string, currency: string) => {
    const click = { affiliate_url: `https://shop.example/?aff=${code}`, sub_id: 'W'.repeat(128) };
    const { click_id } = await track<{ click_id: string }>('click', click);
    const customer = { click_id, customer_key: hostile(transaction_id.slice(0, 16)) };
    const sale = { ...customer, transaction_id, amount_cents: LARGE_AMOUNT, currency };
    return (await track<{ commission_id: number }>('sale', sale)).commission_id;
  };
  commission = await sell('evil', CHECKOUT, 'EUR');
  for (const currency of ['USD', 'JPY', 'KWD', 'INR']) await sell('evil', hostile(currency), currency);
  const rtlCommission = await sell(rtl.code, `مبيع${'ب'.repeat(60)}`, 'USD');
  for (const id of [commission, rtlCommission])
    await site.call('POST', `${path}/commissions/${id}/approve`, {});
  const adjustment = { amount_cents: 125_000_000_000, reason: hostile('reason') };
  await site.call('POST', `${path}/commissions/${commission}/adjust`, adjustment);
  const payouts = await site.call<{ id: number; partner_id: number }[]>('POST', `${path}/payouts`, {});
  payout = payouts.find(({ partner_id }) => partner_id === partner)?.id ?? 0;
  await site.call('POST', `${path}/payouts/${payout}/mark-paid`, { reference: hostile('reference') });
  await track('refund', {
    transaction_id: CHECKOUT,
    refund_id: CHECKOUT,
    refund_amount_cents: 500_000_000_000,
  });
  const rejected = { transaction_id: REJECTED_CHECKOUT, customer_key: 'nobody', amount_cents: 1 };
  await expect(track('sale', rejected)).rejects.toThrow('400');
  const label = `Where${'W'.repeat(135)}`;
  const questions = [{ id: 'where', label, type: 'long_text' }];
  await site.call('PUT', `${path}/page`, { published: true, questions, description: UNBROKEN });
  const form = await site.call<{ form_token: string }>('GET', '/api/v1/programs/hostile');
  formToken = form.form_token;
  const url = `http://${CLOSED_HOST}/${'w'.repeat(200)}`;
  const webhook = { url, description: hostile('description'), event_types: WEBHOOK_EVENT_TYPES };
  ({ id: endpoint } = await site.call<{ id: number }>('POST', `${path}/webhook-endpoints`, webhook));
  await site.call('POST', `${path}/webhook-endpoints/${endpoint}/test`);
  await site.call('POST', '/api/advertiser/api-keys', {
    name: hostile('Key'),
    scopes: ['program:list'],
    workspace_id: 1,
  });
  await site.call('PUT', '/api/advertiser/workspaces/1', { name: hostile('Workspace') });
  await site.runJobs();
}

/** Opens pages, and checks at two widths that they show these texts, run no script, and cut off nothing. */
async function checkPages(
  tour: Page,
  printed: string[],
  paths: readonly (readonly [string, ...string[]])[],
): Promise<void> {
  for (const [path, ...texts] of paths) {
    await tour.setViewportSize({ width: 1280, height: 860 });
    await tour.goto(`/app${path}`);
    await settle(tour);
    // Some names arrive after the rest of the page.
    for (const text of texts)
      await expect.poll(() => tour.locator('body').textContent(), { message: path }).toContain(text);
    const found = await tour.evaluate(() => ({
      hit: 'hit' in window,
      elements: document.querySelectorAll(
        '[onerror], [onload], img[src="x"], [href^="javascript:" i], [src^="javascript:" i]',
      ).length,
    }));
    expect({ path, hit: found.hit, elements: found.elements }).toEqual({ path, hit: false, elements: 0 });
    expect.soft([path, 1280, await findLayoutFaults(tour)]).toEqual([path, 1280, []]);
    await shoot(tour, path, 1280);
    await tour.setViewportSize({ width: 390, height: 844 });
    expect.soft([path, 390, await findLayoutFaults(tour)]).toEqual([path, 390, []]);
    await shoot(tour, path, 390);
    // Ignore the browser's message about a search without results.
    const problems = printed.splice(0).filter((text) => !text.startsWith('Failed to load resource'));
    expect([path, problems]).toEqual([path, []]);
  }
}

async function shoot(of: Page, path: string, width: number): Promise<void> {
  if (SHOTS === undefined) return;
  mkdirSync(SHOTS, { recursive: true });
  const name = path.replaceAll(/%.*|[^\w]+/g, '-');
  for (const colorScheme of ['light', 'dark'] as const) {
    await of.emulateMedia({ colorScheme });
    await of.screenshot({ path: join(SHOTS, `${name}-${width}-${colorScheme}.png`), fullPage: true });
  }
}

test('every page of the advertiser shows hostile texts, and cuts off nothing', async () => {
  const base = `/p/${program}`;
  const searchFor = (text: string) => `${base}/why?q=${encodeURIComponent(text)}`;
  const simulation = new URLSearchParams({ product_id: PRODUCT, partner_id: String(partner) });
  await checkPages(page, opened.problems, [
    [base, PARTNER],
    [`${base}/partners`, PARTNER],
    [`${base}/partners/${partner}`, PARTNER],
    [`${base}/partners/${rtlPartner}`, RTL_NAME],
    [`${base}/partners/import`],
    [`${base}/commissions`, PARTNER, SALE],
    [`${base}/events`, SALE, SUB_ID],
    [`${base}/links`, PARTNER],
    [searchFor(SALE), SALE, CUSTOMER],
    [searchFor(REJECTED), REJECTED],
    [searchFor(SCRIPT_URL), SCRIPT_URL],
    [searchFor(CHECKOUT), CHECKOUT],
    [searchFor(REJECTED_CHECKOUT), REJECTED_CHECKOUT],
    [`${base}/payouts`, PARTNER],
    [`${base}/payouts/files`],
    [`${base}/policies?${simulation}#simulator`, PRODUCT],
    [`${base}/webhooks`],
    [`${base}/webhooks/${endpoint}?delivery=1`],
    [`${base}/setup`],
    [`${base}/settings`],
    [`${base}/page`],
    ['/w/1/members'],
    ['/w/1/keys'],
    ['/w/1/audit', RTL_NAME],
    ['/w/1/emails'],
    ['/w/1/emails?tab=sent'],
    ['/w/1/processor'],
    ['/account'],
    [`/welcome?program=${program}`],
  ]);
  await site.call('POST', '/api/v1/programs/hostile/applications', {
    name: hostile('Applicant'),
    email: 'applicant@partner.example',
    answers: [{ question: 'where', answer: `${UNBROKEN}\n${RTL_NAME}` }],
    form_token: formToken,
  });
  await site.runJobs();
  const path = `${PROGRAMS}/${program}/partners?status=pending`;
  const [applicant] = await site.call<{ id: number }[]>('GET', path);
  await checkPages(page, opened.problems, [
    [`${base}/partners/${applicant?.id}`, UNBROKEN],
    ['/notifications'],
  ]);
});

test('every page of the partner portal shows hostile texts, and cuts off nothing', async () => {
  const { context, problems } = await openContext({ width: 1280, colorScheme: 'light' });
  const tour = await context.newPage();
  await tour.goto('/app/sign-in');
  await tour.getByLabel('Email').fill(PARTNER_LOGIN.email);
  await tour.getByLabel('Password').fill(PARTNER_LOGIN.password);
  await tour.getByRole('button', { name: 'Sign in' }).click();
  await tour.waitForURL(/\/app\/partner\/\d+$/);
  const home = `/partner/${program}`;
  const links = await site.call<{ id: number }[]>('GET', `${PROGRAMS}/${program}/links?q=evil`);
  await checkPages(tour, problems, [
    [home, PRODUCT],
    [`${home}/links`],
    [`${home}/links/${links[0]?.id}`],
    [`${home}/earnings`],
    [`${home}/earnings/${commission}`],
    [`${home}/payouts`],
    [`${home}/payouts/${payout}`],
    [`${home}/payouts/${payout}/receipt`, PARTNER],
    ['/partner/payout-details'],
    ['/partner/notifications'],
    ['/partner/account', PARTNER],
  ]);
  await context.close();
});

test('signing in never redirects to another site, and leaves no secret in the page or in storage', async () => {
  const { context } = await openContext({ width: 1280, colorScheme: 'light' });
  const other = await context.newPage();
  const engine = site.engine;
  for (const next of ['//evil.example/', '/\\evil.example', '/\t/evil.example', SCRIPT_URL, '/../../x']) {
    const code = await createSignInCode({ engine }, site.owner.email);
    await other.goto('about:blank');
    await other.goto(`/app/sign-in?next=${encodeURIComponent(next)}#${code?.code}`);
    await other.waitForURL((url) => url.origin === site.url && url.pathname !== '/app/sign-in');
    await other.waitForFunction(() => document.querySelector('h1') !== null);
    const kept = await other.evaluate(() => ({
      url: location.href,
      html: document.documentElement.outerHTML,
      cookies: document.cookie,
      storage: { ...localStorage, ...sessionStorage },
    }));
    expect(JSON.stringify(kept)).not.toMatch(/aff[a-z]?_[\w-]{20}|eyJ[\w-]{10}/);
    expect([kept.cookies, Object.values(kept.storage).every((value) => /^\d+$/.test(value))]).toEqual([
      '',
      true,
    ]);
  }
  await context.close();
});
