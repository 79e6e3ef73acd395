import { afterEach, expect, it, vi } from 'vitest';
import type { Tracker } from './api.ts';
import { type GlobalHolder, installGlobal } from './command.ts';

/** Stubs the global `window`. */
function pageWith(window: GlobalHolder): GlobalHolder {
  vi.stubGlobal('window', window);
  return window;
}

afterEach(() => vi.unstubAllGlobals());

const trackerWith = (methods: Partial<Tracker>): Tracker => ({
  getClickId: () => null,
  ready: async () => null,
  trackClick: async () => ({ sent: false, reason: 'failed' }),
  trackLead: async () => null,
  consent() {},
  decorate: (url) => url,
  reset() {},
  debug: () => ({ clickId: null }),
  ...methods,
});

it('calls methods by name and by property, and ignores unknown names', () => {
  const win = pageWith({});
  const reset = vi.fn();
  installGlobal('affkit', () => trackerWith({ getClickId: () => 'clk_1', reset }));
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
  const stub = Object.assign(() => {}, { q: [['trackLead', { customer_key: 'u' }], ['ready'], ['nothing']] });
  pageWith({ affkit: stub as unknown as GlobalHolder[string] });
  installGlobal('affkit', () => trackerWith({ ready, trackLead }));
  expect(trackLead).toHaveBeenCalledExactlyOnceWith({ customer_key: 'u' });
  expect(ready).toHaveBeenCalledAfter(trackLead);
});

it.each([
  ['a form', { q: {}, getClickId: {} }],
  ['a list of calls in an element', { q: [['reset']] }],
  ['a frame of another origin', new Proxy({}, { get: () => expect.fail('SecurityError') })],
])('replaces %s that has the name of the global', (_what, element) => {
  const reset = vi.fn();
  const win = pageWith({ affkit: element as GlobalHolder[string] });
  installGlobal('affkit', () => trackerWith({ getClickId: () => 'clk_1', reset }));
  expect((win['affkit'] as unknown as Tracker).getClickId()).toBe('clk_1');
  expect(reset).not.toHaveBeenCalled();
});

it('keeps an installed tracker', () => {
  const win = pageWith({});
  installGlobal('affkit', () => trackerWith({}));
  const first = win['affkit'];
  const start = vi.fn(() => trackerWith({}));
  installGlobal('affkit', start);
  expect(win['affkit']).toBe(first);
  expect(start).not.toHaveBeenCalled();
});
