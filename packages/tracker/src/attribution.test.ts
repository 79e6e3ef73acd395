import { describe, expect, it } from 'vitest';
import { currentClick, existingClickId, type KeptClick, keptClick } from './attribution.ts';

const day = 86_400_000;
const byAnn: KeptClick = { id: 'clk_1', code: 'ann', model: 'last_click', at: 1_000, expiresAt: 60 * day };
const answer = (fields: object = {}) => ({
  success: true as const,
  click_id: 'clk_2',
  partner_code: 'bob',
  attributed_partner_code: 'bob',
  attribution_model: 'last_click' as const,
  cookie_window_days: 30,
  ...fields,
});

describe('the current click', () => {
  it('is the stored one while the cookie says the same or nothing', () => {
    expect(currentClick('clk_1', byAnn)).toBe(byAnn);
    expect(currentClick(undefined, byAnn)).toBe(byAnn);
  });

  it('is the cookie otherwise', () => {
    expect(currentClick('clk_9', byAnn)).toEqual({ id: 'clk_9' });
    expect(currentClick('clk_9', undefined)).toEqual({ id: 'clk_9' });
  });
});

describe('the click id sent along', () => {
  it('is left out for another partner on last_click, and when the partner is unknown', () => {
    expect(existingClickId(byAnn, 'ann')).toBe('clk_1');
    expect(existingClickId(byAnn, 'bob')).toBe(undefined);
    expect(existingClickId({ id: 'clk_9' }, 'ann')).toBe(undefined);
  });

  it('is always sent on first_click', () => {
    expect(existingClickId({ ...byAnn, model: 'first_click' }, 'bob')).toBe('clk_1');
  });
});

describe('an answered click', () => {
  it('is kept for the window of the program, from the visit on', () => {
    expect(keptClick(answer(), 5_000, byAnn)).toEqual({
      id: 'clk_2',
      code: 'bob',
      model: 'last_click',
      at: 5_000,
      expiresAt: 5_000 + 30 * day,
    });
  });

  it('is kept for at most 400 days', () => {
    expect(keptClick(answer({ cookie_window_days: 1_000 }), 0, {})?.expiresAt).toBe(400 * day);
  });

  it('renews the window of the same partner', () => {
    const again = answer({ click_id: 'clk_1', partner_code: 'ann', attributed_partner_code: 'ann' });
    expect(keptClick(again, 5_000, byAnn)?.expiresAt).toBe(5_000 + 30 * day);
  });

  it('of another partner keeps the credited one and his window', () => {
    const kept = answer({
      click_id: 'clk_1',
      attributed_partner_code: 'ann',
      attribution_model: 'first_click',
    });
    expect(keptClick(kept, 5_000, byAnn)).toMatchObject({ code: 'ann', expiresAt: 60 * day });
  });

  it('that comes late does not replace a later visit', () => {
    expect(keptClick(answer(), 999, byAnn)).toBe(undefined);
    expect(keptClick(answer({ attribution_model: 'first_click' }), 999, byAnn)).toMatchObject({
      id: 'clk_2',
    });
  });
});
