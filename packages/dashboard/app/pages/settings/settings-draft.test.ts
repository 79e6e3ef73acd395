import { expect, test } from 'vitest';
import type { Program } from '../../api/types.ts';
import {
  changedSettings,
  checkSettingsDraft,
  describeSetting,
  newSiteOf,
  originsOf,
  settingOf,
  settingsBodyOf,
  settingsDraftOf,
} from './settings-draft.ts';

const PROGRAM: Program = {
  id: 1,
  workspace_id: 1,
  name: 'Tea Shop',
  slug: 'tea-shop',
  site_url: 'https://shop.example/',
  status: 'draft',
  cookie_window_days: 30,
  attribution_model: 'last_click',
  hold_days: 14,
  currency: 'EUR',
  allowed_origins: ['https://shop.example'],
  cookie_domain: null,
  browser_leads: 'all',
  claimed_keys: 'review',
  require_origin: false,
  min_sale_cents: 0,
  commission_base: 'total',
  api_token_masked: 'aff_…',
  created_at: '2026-11-01T00:00:00.000Z',
  data_since: '2026-11-01T00:00:00.000Z',
};
const DRAFT = settingsDraftOf(PROGRAM);

test('a draft without changes sends nothing', () => {
  const padded = { ...DRAFT, name: ' Tea Shop ', allowed_origins: '\nhttps://shop.example\n' };
  expect(changedSettings(padded, PROGRAM)).toEqual([]);
});

test('only changed settings are sent', () => {
  const draft = {
    ...DRAFT,
    hold_days: '30',
    min_sale_cents: '5.50',
    require_origin: 'true' as const,
    cookie_domain: 'shop.example',
    allowed_origins: 'https://shop.example\nhttps://blog.example',
  };
  const names = changedSettings(draft, PROGRAM);
  expect(settingsBodyOf(names, draft)).toEqual({
    hold_days: 30,
    min_sale_cents: 550,
    require_origin: true,
    cookie_domain: 'shop.example',
    allowed_origins: ['https://shop.example', 'https://blog.example'],
  });
  expect(names.map((name) => describeSetting(name, draft))).toEqual([
    '30 days',
    '€5.50',
    'Are rejected',
    'https://shop.example, https://blog.example',
    'shop.example',
  ]);
});

test('after a change of the currency, the minimum is the amount that the form shows', () => {
  const stored: Program = { ...PROGRAM, currency: 'JPY', min_sale_cents: 500 };
  const draft = { ...settingsDraftOf(stored), currency: 'USD' };
  expect(describeSetting('min_sale_cents', draft)).toBe('$500.00');
  expect(settingsBodyOf(changedSettings(draft, stored), draft)).toEqual({
    currency: 'USD',
    min_sale_cents: 50_000,
  });
});

test('a program without a minimum can change to a currency without decimals', () => {
  const draft = { ...DRAFT, currency: 'JPY' };
  expect(checkSettingsDraft(draft)).toEqual({});
  expect(settingsBodyOf(changedSettings(draft, PROGRAM), draft)).toEqual({ currency: 'JPY' });
});

test('the stored minimum in another spelling is not a change', () => {
  const stored: Program = { ...PROGRAM, min_sale_cents: 500 };
  expect(changedSettings({ ...settingsDraftOf(stored), min_sale_cents: '5' }, stored)).toEqual([]);
});

test('an emptied cookie domain is removed', () => {
  expect(settingsBodyOf(['cookie_domain'], DRAFT)).toEqual({ cookie_domain: null });
});

test.each([
  ['name', ' '],
  ['site_url', 'shop.example'],
  ['cookie_window_days', '0'],
  ['hold_days', '366'],
  ['hold_days', '1.5'],
  ['min_sale_cents', '1.999'],
  ['allowed_origins', 'https://shop.example/path'],
])('%s does not accept "%s"', (name, value) => {
  expect(Object.keys(checkSettingsDraft({ ...DRAFT, [name]: value }))).toEqual([name]);
});

test('a draft of valid settings has no errors', () => {
  expect(checkSettingsDraft({ ...DRAFT, allowed_origins: '*\nhttp://localhost:3000' })).toEqual({});
  expect(originsOf({ ...DRAFT, allowed_origins: '*\n\n a ' })).toEqual(['*', 'a']);
});

test.each([
  ['invalid_field', 'cookie_domain must be a domain name', 'cookie_domain'],
  [
    'invalid_field',
    'each of allowed_origins must be an origin such as https://shop.example',
    'allowed_origins',
  ],
  ['slug_taken', 'slug is already in use', 'slug'],
  ['currency_immutable', 'The currency cannot change', 'currency'],
  ['internal_error', 'Something went wrong', null],
])('the error %s (%s) belongs to %s', (code, message, name) => {
  expect(settingOf({ code, message })).toBe(name);
});

test('a changed site must be among the allowed websites', () => {
  const newSite = (site_url: string, allowed_origins = 'https://shop.example/\nhttps://blog.example') =>
    newSiteOf({ ...DRAFT, site_url, allowed_origins }, PROGRAM);
  const origin = 'https://new.example:8443';
  expect(newSite(`${origin}/tea `)).toEqual({ origin, isAllowed: false });
  expect(newSite(`${origin}/tea `, `${origin}/`)).toEqual({ origin, isAllowed: true });
  expect(newSite(origin, '*')).toEqual({ origin, isAllowed: true });
  expect(newSite('http://shop.example')).toEqual({ origin: 'http://shop.example', isAllowed: false });
  expect(newSite('https://shop.example/tea')).toBe(null);
  // The user is still typing, or has not changed the site.
  expect(newSite('https:/')).toBe(null);
  expect(newSite(PROGRAM.site_url, '')).toBe(null);
});
