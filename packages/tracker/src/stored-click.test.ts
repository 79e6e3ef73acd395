import { describe, expect, it } from 'vitest';
import { existingClickId, toStoredClick } from './stored-click.ts';

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

describe('existingClickId', () => {
  it('returns undefined for another partner on last_click and for an unknown partner', () => {
    expect(existingClickId(byAnn, 'ann')).toBe('clk_1');
    expect(existingClickId(byAnn, 'bob')).toBe(undefined);
    expect(existingClickId({ click_id: 'clk_9' }, 'ann')).toBe(undefined);
  });

  it('always returns the click id on first_click', () => {
    expect(existingClickId({ ...byAnn, attribution_model: 'first_click' }, 'bob')).toBe('clk_1');
  });
});

describe('toStoredClick', () => {
  it('starts the window of the program at the time of the visit', () => {
    expect(toStoredClick(answer(), 5_000, byAnn)).toEqual({ ...answer(), at: 5_000, till: 5_000 + 30 * day });
  });

  it('renews the window of the same partner', () => {
    const again = answer({ click_id: 'clk_1', partner_code: 'ann', attributed_partner_code: 'ann' });
    expect(toStoredClick(again, 5_000, byAnn)?.till).toBe(5_000 + 30 * day);
  });

  it('keeps the credited partner and its window after a visit by another partner', () => {
    const fields = { click_id: 'clk_1', attributed_partner_code: 'ann', attribution_model: 'first_click' };
    expect(toStoredClick(answer(fields), 5_000, byAnn)).toMatchObject({ ...fields, till: 60 * day });
  });

  it('returns undefined for a late response if a later visit is stored', () => {
    expect(toStoredClick(answer(), 999, byAnn)).toBe(undefined);
    const ahead = { ...byAnn, at: Date.now() + day };
    expect(toStoredClick(answer(), 5_000, ahead)).toMatchObject({ click_id: 'clk_2' });
    const first = answer({ attribution_model: 'first_click' });
    expect(toStoredClick(first, 999, byAnn)).toMatchObject({ click_id: 'clk_2' });
  });
});
