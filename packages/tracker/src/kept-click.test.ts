import { describe, expect, it } from 'vitest';
import { existingClickId, toStoredClick } from './kept-click.ts';

const day = 86_400_000;
const answer = (fields: object = {}) => ({
  success: true as const,
  click_id: 'clk_2',
  partner_code: 'bob',
  attributed_partner_code: 'bob',
  attribution_model: 'last_click' as const,
  cookie_window_days: 30,
  ...fields,
});
const byAnn = {
  ...answer({ click_id: 'clk_1', partner_code: 'ann', attributed_partner_code: 'ann' }),
  at: 1_000,
  till: 60 * day,
};

describe('the click id sent along', () => {
  it('is left out for another partner on last_click, and when the partner is unknown', () => {
    expect(existingClickId(byAnn, 'ann')).toBe('clk_1');
    expect(existingClickId(byAnn, 'bob')).toBe(undefined);
    expect(existingClickId({ click_id: 'clk_9' }, 'ann')).toBe(undefined);
  });

  it('is always sent on first_click', () => {
    expect(existingClickId({ ...byAnn, attribution_model: 'first_click' }, 'bob')).toBe('clk_1');
  });
});

describe('an answered click', () => {
  it('is kept for the window of the program, from the visit on', () => {
    expect(toStoredClick(answer(), 5_000, byAnn)).toEqual({ ...answer(), at: 5_000, till: 5_000 + 30 * day });
  });

  it('renews the window of the same partner', () => {
    const again = answer({ click_id: 'clk_1', partner_code: 'ann', attributed_partner_code: 'ann' });
    expect(toStoredClick(again, 5_000, byAnn)?.till).toBe(5_000 + 30 * day);
  });

  it('of another partner keeps the credited one and his window', () => {
    const fields = { click_id: 'clk_1', attributed_partner_code: 'ann', attribution_model: 'first_click' };
    expect(toStoredClick(answer(fields), 5_000, byAnn)).toMatchObject({ ...fields, till: 60 * day });
  });

  it('that comes late does not replace a later visit', () => {
    expect(toStoredClick(answer(), 999, byAnn)).toBe(undefined);
    const first = answer({ attribution_model: 'first_click' });
    expect(toStoredClick(first, 999, byAnn)).toMatchObject({ click_id: 'clk_2' });
  });
});
