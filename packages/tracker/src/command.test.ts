import { expect, it, vi } from 'vitest';
import type { Tracker } from './api.ts';
import { type GlobalHolder, installGlobal } from './command.ts';
import { createTracker } from './create-tracker.ts';

const trackerWith = (methods: Partial<Tracker>): Tracker => ({
  ...createTracker({ baseUrl: '' }),
  ...methods,
});

it('calls methods by name and by property, and ignores unknown names', () => {
  const win: GlobalHolder = {};
  const reset = vi.fn();
  installGlobal(win, 'affkit', () => trackerWith({ getClickId: () => 'clk_1', reset }));
  const call = win['affkit'] as unknown as Tracker & ((name: string) => unknown);
  expect(call('getClickId')).toBe('clk_1');
  expect(call.getClickId()).toBe('clk_1');
  expect(call('reset')).toBe(undefined);
  expect(reset).toHaveBeenCalledOnce();
  expect(call('nothing')).toBe(undefined);
});

it('runs queued calls in order', () => {
  const ready = vi.fn(async () => null);
  const trackLead = vi.fn(async () => null);
  const win: GlobalHolder = { affkit: { q: [['trackLead', { customer_key: 'u' }], ['ready'], ['nothing']] } };
  installGlobal(win, 'affkit', () => trackerWith({ ready, trackLead }));
  expect(trackLead).toHaveBeenCalledExactlyOnceWith({ customer_key: 'u' });
  expect(ready).toHaveBeenCalledAfter(trackLead);
});

it('leaves a tracker that is there already', () => {
  const win: GlobalHolder = {};
  installGlobal(win, 'affkit', () => trackerWith({}));
  const first = win['affkit'];
  const start = vi.fn(() => trackerWith({}));
  installGlobal(win, 'affkit', start);
  expect(win['affkit']).toBe(first);
  expect(start).not.toHaveBeenCalled();
});
