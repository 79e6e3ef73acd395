// @vitest-environment jsdom
// @vitest-environment-options { "url": "https://www.shop.example/" }
import type { ClickTracked } from '@affkit/protocol';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { configure } from './config.ts';
import { joinPageState } from './page.ts';
import { readState, reset, type StoredClick, writeState } from './store.ts';
import { storeAnswer } from './stored-click.ts';

const day = 86_400_000;
const answer = (fields: Partial<ClickTracked> = {}): ClickTracked => ({
  success: true,
  click_id: 'clk_2',
  partner_code: 'bob',
  attributed_partner_code: 'bob',
  attribution_model: 'last_click',
  cookie_window_days: 30,
  ...fields,
});
const byAnn: StoredClick = {
  ...answer({ click_id: 'clk_1', partner_code: 'ann', attributed_partner_code: 'ann' }),
  at: 1_000,
  till: 60 * day,
};

/**
 * Starts with the stored click `before`, and then stores the response to a click that was made at the time `at`.
 * @returns the click that is stored afterwards
 */
function store(response: ClickTracked, at = 5_000, before = byAnn): StoredClick | undefined {
  writeState({ click: before, jobs: [] });
  storeAnswer(response, at);
  return readState().click;
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: 6_000 });
  configure({});
  joinPageState();
});

afterEach(() => {
  reset();
  vi.useRealTimers();
});

describe('storeAnswer', () => {
  it('starts the window of the program at the time of the visit', () => {
    expect(store(answer())).toMatchObject({ ...answer(), at: 5_000, till: 5_000 + 30 * day });
  });

  it('restarts the window after another visit through the same partner', () => {
    const again = answer({ click_id: 'clk_1', partner_code: 'ann', attributed_partner_code: 'ann' });
    expect(store(again)?.till).toBe(5_000 + 30 * day);
  });

  it('with first_click, keeps the partner and the window after a visit through another partner', () => {
    const fields = {
      click_id: 'clk_1',
      attributed_partner_code: 'ann',
      attribution_model: 'first_click',
    } as const;
    expect(store(answer(fields))).toMatchObject({ ...fields, till: 60 * day });
  });

  it('with first_click, keeps a click that was stored after a visit of another partner was queued', () => {
    const later = answer({ attribution_model: 'first_click' });
    const late = { ...byAnn, stored: 5_500 };
    expect(store(later, 5_000, late)).toEqual(late);
    // The server did not know the stored click, whose id the visit has sent.
    expect(store(later, 5_000, { ...byAnn, stored: 1_000 })).toMatchObject({
      click_id: 'clk_2',
      stored: 6_000,
    });
  });

  it('with first_click, keeps the click of another host of the site, which only the cookie contains', () => {
    configure({ cookieDomain: 'host' });
    // biome-ignore lint/suspicious/noDocumentCookie: as another host of the site sets it.
    document.cookie = 'service_click_id=clk_1; Path=/';
    storeAnswer(answer({ attribution_model: 'first_click' }), 5_000);
    expect([document.cookie, readState().click]).toEqual(['service_click_id=clk_1', undefined]);
    // The server has set the cookie to the click of its response.
    storeAnswer(answer({ attribution_model: 'first_click', click_id: 'clk_1' }), 5_000);
    expect(readState().click).toMatchObject({ click_id: 'clk_1' });
    reset();
    storeAnswer(answer({ attribution_model: 'first_click' }), 5_000);
    expect(readState().click).toMatchObject({ click_id: 'clk_2' });
  });

  it('ignores the response to an earlier visit, except with first_click or if the clock was ahead', () => {
    expect(store(answer(), 999)).toEqual(byAnn);
    const ahead = { ...byAnn, at: Date.now() + day };
    expect(store(answer(), 5_000, ahead)).toMatchObject({ click_id: 'clk_2' });
    const first = answer({ attribution_model: 'first_click' });
    expect(store(first, 999)).toMatchObject({ click_id: 'clk_2' });
  });
});
