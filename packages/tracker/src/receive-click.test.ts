// @vitest-environment jsdom
// @vitest-environment-options { "url": "https://shop.example/", "referrer": "https://pay.example/" }
import { afterEach, beforeEach, expect, it } from 'vitest';
import { configure } from './config.ts';
import { consent } from './consent.ts';
import { describeBrowser } from './linked-sites.ts';
import { joinPageState } from './page.ts';
import { receiveClick } from './receive-click.ts';
import { readState, reset, writeState } from './store.ts';

const day = 86_400_000;

beforeEach(() => {
  configure({ baseUrl: '', linker: 'pay.example' });
  joinPageState();
  consent('granted');
});

afterEach(reset);

/**
 * Stores a click whose window ends after `currentDays`. Then receives another click, whose window ends after
 * `passedDays`.
 * @returns the click that is stored afterwards
 */
function receive(currentDays: number, passedDays: number): string | undefined {
  const now = Date.now();
  const click = { click_id: 'clk_new', at: now, till: now + currentDays * day };
  writeState({ click: { ...click, attribution_model: 'last_click' }, jobs: [] });
  const passed = ['clk_passed', now, now + passedDays * day, 'last_click', describeBrowser()].join('.');
  history.replaceState(null, '', `/?_affkit=${passed}`);
  receiveClick();
  expect(location.search).toBe('');
  return readState().click?.click_id;
}

it('replaces an earlier click with a click that another site has passed', () => {
  expect(receive(20, 30)).toBe('clk_passed');
});

it('keeps what is known about the current click if another site passes it back', () => {
  const till = Date.now() + 30 * day;
  const click = { click_id: 'clk_1', at: 1, till, attribution_model: 'last_click' as const };
  writeState({ click: { ...click, attributed_partner_code: 'ann' }, jobs: [] });
  const passed = ['clk_1', Date.now(), till, 'last_click', describeBrowser()].join('.');
  history.replaceState(null, '', `/?_affkit=${passed}`);
  receiveClick();
  expect(readState().click).toMatchObject({ ...click, attributed_partner_code: 'ann' });
});

it('keeps a later click, for example if the other site still has the click of a previous visit', () => {
  expect(receive(30, 20)).toBe('clk_new');
});
