import { createSignInCode } from '@affkit/core';
import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { sampleCases } from '../../../core/test/support/test-depth.ts';
import { type OpenContext, openContext, settle, setUpDashboard, signIn, site } from './browser.ts';

setUpDashboard();

/**
 * A text that breaks out of attributes and elements, and that runs as a script if it is used as a URL. Each
 * field gets its own prefix.
 */
const MARKUP = `"'></title></textarea></script><img src=x onerror=hit=1><svg onload=alert(1)>`;
const SCRIPT_URL = `javascript:hit=1//${MARKUP}`;
const hostile = (field: string) => `${field}${MARKUP}`;

const SALE = hostile('sale');
const REJECTED = hostile('rejected');
const CUSTOMER = hostile('customer');
const PARTNER = hostile('Partner');
const REASON = hostile('reason');
const SUB_ID = hostile('sub');
const PRODUCT = hostile('product');
const USER_AGENT = `Mozilla/5.0 (${MARKUP}) ${MARKUP}/1.0 Chrome/120.0`;

const PROGRAMS = '/api/advertiser/affiliate-programs';

let opened: OpenContext;
let page: Page;
let program = 0;
let partner = 0;

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
  ({ id: partner } = await site.call<{ id: number }>('POST', `${path}/partners`, {
    name: PARTNER,
    email: `o'hit+1@evil.example`,
    code: 'evil',
  }));
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
}

test('every page shows hostile markup as plain text', async () => {
  const base = `/p/${program}`;
  const searchFor = (text: string) => `${base}/why?q=${encodeURIComponent(text)}`;
  const withTexts: readonly (readonly [string, ...string[]])[] = [
    [base, PARTNER],
    [`${base}/partners`, PARTNER],
    [`${base}/partners/${partner}`, PARTNER],
    [`${base}/commissions`, PARTNER, SALE],
    [`${base}/events`, SALE, SUB_ID],
    [`${base}/links`, PARTNER],
    [searchFor(SALE), SALE, CUSTOMER],
    [searchFor(REJECTED), REJECTED],
    [searchFor(SCRIPT_URL), SCRIPT_URL],
  ];
  const others = [
    `${base}/partners/import`,
    `${base}/payouts`,
    `${base}/policies?product_id=${encodeURIComponent(PRODUCT)}#simulator`,
    `${base}/setup`,
    `${base}/settings`,
    '/w/1/members',
    '/w/1/keys',
    '/w/1/audit',
    '/w/1/processor',
    '/notifications',
    '/account',
    `/welcome?program=${program}`,
  ];
  const shown = [...withTexts, ...sampleCases(others, 3, 2).map((path): readonly [string] => [path])];
  for (const [path, ...texts] of shown) {
    await page.goto(`/app${path}`);
    await settle(page);
    const found = await page.evaluate(() => ({
      text: document.body.textContent,
      hit: 'hit' in window,
      elements: document.querySelectorAll(
        '[onerror], [onload], img[src="x"], [href^="javascript:" i], [src^="javascript:" i]',
      ).length,
    }));
    expect({ path, hit: found.hit, elements: found.elements }).toEqual({ path, hit: false, elements: 0 });
    for (const text of texts) expect([path, found.text]).toEqual([path, expect.stringContaining(text)]);
    // Ignore the browser's message about a search without results.
    const problems = opened.problems.splice(0).filter((text) => !text.startsWith('Failed to load resource'));
    expect([path, problems]).toEqual([path, []]);
  }
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
