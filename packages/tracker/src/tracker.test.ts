// @vitest-environment jsdom
// @vitest-environment-options { "url": "https://www.shop.example/?aff=ann" }
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { TrackerOptions } from './index.ts';

const options = { baseUrl: 'https://t.example' };

/** Creates a tracker with a new copy of the code, as on the next page or in a second script. */
async function createTracker(settings: TrackerOptions) {
  vi.resetModules();
  return (await import('./index.ts')).createTracker(settings);
}

const clicked = {
  success: true,
  click_id: 'clk_1',
  partner_code: 'ann',
  attributed_partner_code: 'ann',
  attribution_model: 'last_click',
  cookie_window_days: 30,
};
const busy = () => Response.json({ error: 'busy' }, { status: 503 });
const fetch = vi.fn(async (_url: string, _init: RequestInit) => Response.json(clicked));
const bodies = () => fetch.mock.calls.map(([, init]) => JSON.parse(String(init.body)));

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'Date'] });
  fetch.mockReset().mockImplementation(async () => Response.json(clicked));
  vi.stubGlobal('fetch', fetch);
  vi.stubGlobal('requestIdleCallback', queueMicrotask);
});

afterEach(async () => {
  // With pending consent, this tracker does nothing else, even after the end of the test.
  (await createTracker({ ...options, auto: false, consent: 'pending' })).reset();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

it('tracks a landing once with several trackers', async () => {
  const first = await createTracker(options);
  const second = await createTracker(options);
  expect(await first.ready()).toBe('clk_1');
  expect(await second.ready()).toBe('clk_1');
  expect(fetch).toHaveBeenCalledOnce();
  expect(fetch.mock.calls[0]?.[0]).toBe('https://t.example/api/v1/track/click');
  expect(document.cookie).toBe('service_click_id=clk_1');
});

it.each([
  ['last_click', 'ann', 'clk_1'],
  ['last_click', 'ANN', 'clk_1'],
  ['last_click', 'bob', undefined],
  ['first_click', 'bob', 'clk_1'],
])(
  'on %s, a visit with the code %s after a visit with the code ann sends the existing click id %s',
  async (attribution_model, code, existing) => {
    fetch.mockImplementation(async () => Response.json({ ...clicked, attribution_model }));
    const tracker = await createTracker(options);
    await tracker.ready();
    await tracker.trackClick(code, { test_mode: true });
    expect(bodies().map(({ existing_click_id }) => existing_click_id)).toEqual([undefined, existing]);
  },
);

it('sends the existing click id if the link spells its code in another case than the visit', async () => {
  const spelled = { partner_code: 'Ann', attributed_partner_code: 'Ann' };
  fetch.mockImplementation(async () => Response.json({ ...clicked, ...spelled }));
  const tracker = await createTracker(options);
  await tracker.ready();
  await tracker.trackClick('ann', { test_mode: true });
  expect(bodies()[1].existing_click_id).toBe('clk_1');
});

it('sends no existing click id if only the cookie, but not its partner, is known', async () => {
  // biome-ignore lint/suspicious/noDocumentCookie: as another host of the site sets it.
  document.cookie = 'service_click_id=clk_9; Path=/';
  await (await createTracker(options)).ready();
  expect(bodies()[0].existing_click_id).toBe(undefined);
});

it.each([
  [200, true],
  [400, true],
  [403, true],
  [408, false],
  [413, true],
  [425, false],
  [429, false],
  [500, false],
  [503, false],
])('a response with the status %i ends the attempts to send the click: %s', async (status, isFinal) => {
  fetch.mockImplementation(async () => Response.json({}, { status, headers: { 'Retry-After': '3600' } }));
  const outcome = await (await createTracker({ ...options, auto: false })).trackClick();
  expect(outcome).toEqual({ sent: false, reason: isFinal ? `${status}` : 'queued' });
});

it('uses neither cookie nor network before idle time, and sends the click if the visitor leaves', async () => {
  vi.stubGlobal('requestIdleCallback', () => 0);
  const readCookie = vi.spyOn(document, 'cookie', 'get');
  const tracker = await createTracker(options);
  await new Promise((resolve) => setImmediate(resolve));
  expect(readCookie).not.toHaveBeenCalled();
  expect(fetch).not.toHaveBeenCalled();
  dispatchEvent(new Event('pagehide'));
  await new Promise((resolve) => setImmediate(resolve));
  expect(fetch).toHaveBeenCalledOnce();
  expect(readCookie).toHaveBeenCalled();
  dispatchEvent(new Event('pagehide'));
  expect(await tracker.ready()).toBe('clk_1');
  readCookie.mockRestore();
});

it('reads neither cookie nor storage before idle time on a page without a code', async () => {
  const idle: (() => void)[] = [];
  vi.stubGlobal('requestIdleCallback', (callback: () => void) => idle.push(callback));
  const readCookie = vi.spyOn(document, 'cookie', 'get');
  const readStorage = vi.fn(() => null);
  vi.stubGlobal('localStorage', new Proxy({}, { get: readStorage }));
  vi.stubGlobal('sessionStorage', new Proxy({}, { get: readStorage }));
  history.replaceState(null, '', '/pricing');
  const ready = (await createTracker(options)).ready();
  await new Promise((resolve) => setImmediate(resolve));
  expect([readCookie.mock.calls, readStorage.mock.calls]).toEqual([[], []]);
  for (const run of idle) run();
  expect(await ready).toBeNull();
  expect(readCookie).toHaveBeenCalled();
  expect(readStorage).toHaveBeenCalled();
  readCookie.mockRestore();
  history.replaceState(null, '', '/?aff=ann');
});

it('reads the time zone without a formatter, which is slow to create, if the browser has Temporal', async () => {
  vi.stubGlobal('Temporal', { Now: { timeZoneId: () => 'Pacific/Auckland' } });
  const newFormatter = vi.spyOn(Intl, 'DateTimeFormat');
  await (await createTracker(options)).ready();
  expect(bodies()).toMatchObject([{ timezone: 'Pacific/Auckland' }]);
  expect(newFormatter).not.toHaveBeenCalled();
});

it.each([undefined, { Now: {} }])(
  'reads the time zone from a formatter if Temporal is %o',
  async (temporal) => {
    vi.stubGlobal('Temporal', temporal);
    await (await createTracker(options)).ready();
    expect(bodies()).toMatchObject([{ timezone: Intl.DateTimeFormat().resolvedOptions().timeZone }]);
  },
);

it('sends a lead of a second tracker after the click of the first', async () => {
  await createTracker(options);
  const lead = await (await createTracker(options)).trackLead({ customer_key: 'user_1' });
  expect(lead).toMatchObject({ success: true });
  expect(bodies()[1]).toEqual({
    page_url: 'https://www.shop.example/?aff=ann',
    customer_key: 'user_1',
    click_id: 'clk_1',
    session_id: bodies()[0].session_id,
    additional_data: { idempotency_key: expect.any(String) },
  });
});

it('sends the same session id until the tab is idle for half an hour', async () => {
  const sessionIds = () => bodies().map(({ session_id }) => session_id);
  await (await createTracker(options)).ready();
  expect(bodies()[0].session_id).toMatch(/^\d{13}-0\.\d+$/);
  // A page view that does not come from a partner's link extends the session too.
  vi.setSystemTime(Date.now() + 30 * 60_000 - 1);
  await (await createTracker({ ...options, consent: 'pending' })).consent('granted');
  const tracker = await createTracker({ ...options, auto: false });
  vi.setSystemTime(Date.now() + 30 * 60_000 - 1);
  await tracker.trackLead({ customer_key: 'user_1' });
  expect(new Set(sessionIds()).size).toBe(1);
  vi.setSystemTime(Date.now() + 30 * 60_000);
  await tracker.trackLead({ customer_key: 'user_1' });
  expect(new Set(sessionIds()).size).toBe(2);
  tracker.reset();
  expect(sessionStorage.length).toBe(0);
});

it('a route change extends the session, but starts none for a visitor without a click', async () => {
  history.replaceState(null, '', '/');
  await (await createTracker(options)).ready();
  expect(sessionStorage.length).toBe(0);
  history.pushState(null, '', '/?aff=ann');
  await vi.waitFor(() => expect(fetch).toHaveBeenCalledOnce(), { timeout: 20_000 });
  const later = Date.now() + 20 * 60_000;
  vi.setSystemTime(later);
  history.pushState(null, '', '/cart?aff=ann');
  const usedAt = () => Number(String(Object.values(sessionStorage)[0]).split(',')[1]);
  await vi.waitFor(() => expect(usedAt()).toBeGreaterThanOrEqual(later), { timeout: 20_000 });
  history.replaceState(null, '', '/?aff=ann');
});

it('sends no session id if sessionStorage throws', async () => {
  vi.stubGlobal('sessionStorage', undefined);
  expect(await (await createTracker(options)).ready()).toBe('clk_1');
  expect(bodies()[0]).not.toHaveProperty('session_id');
});

it('tracks the same landing again after half an hour', async () => {
  await (await createTracker(options)).ready();
  vi.setSystemTime(Date.now() + 30 * 60_000);
  await (await createTracker(options)).ready();
  expect(fetch).toHaveBeenCalledTimes(2);
  expect(bodies()[1]).toMatchObject({ existing_click_id: 'clk_1' });
});

it('retries twice with growing delays and one key, then leaves the click to the next page', async () => {
  fetch.mockImplementation(async () => busy());
  const tracker = await createTracker(options);
  const ready = tracker.ready();
  await vi.advanceTimersByTimeAsync(499);
  expect(fetch).toHaveBeenCalledTimes(1);
  await vi.advanceTimersByTimeAsync(501);
  expect(fetch).toHaveBeenCalledTimes(2);
  await vi.advanceTimersByTimeAsync(3_499);
  expect(fetch).toHaveBeenCalledTimes(2);
  await vi.advanceTimersByTimeAsync(4_501);
  expect(await ready).toBe(null);
  expect(fetch).toHaveBeenCalledTimes(3);
  fetch.mockImplementation(async () => Response.json(clicked));
  expect(await (await createTracker(options)).ready()).toBe('clk_1');
  const keys = bodies().map((body) => body.additional_data.idempotency_key);
  expect(keys).toEqual([keys[0], keys[0], keys[0], keys[0]]);
});

it('waits for Retry-After, and leaves the retry to a later page if the wait exceeds 30 seconds', async () => {
  fetch.mockImplementation(async () => Response.json({}, { status: 429, headers: { 'Retry-After': '20' } }));
  await createTracker(options);
  await vi.advanceTimersByTimeAsync(19_999);
  expect(fetch).toHaveBeenCalledTimes(1);
  fetch.mockImplementation(async () => Response.json({}, { status: 429, headers: { 'Retry-After': '60' } }));
  await vi.advanceTimersByTimeAsync(1);
  expect(fetch).toHaveBeenCalledTimes(2);
  await (await createTracker(options)).ready();
  expect(fetch).toHaveBeenCalledTimes(2);
  vi.setSystemTime(Date.now() + 60_000);
  await (await createTracker(options)).ready();
  expect(fetch).toHaveBeenCalledTimes(3);
});

it('queues a click if Retry-After is negative', async () => {
  fetch.mockImplementation(async () => Response.json({}, { status: 503, headers: { 'Retry-After': '-1' } }));
  await createTracker(options);
  await vi.advanceTimersByTimeAsync(20_000);
  expect(fetch).toHaveBeenCalledTimes(3);
  fetch.mockImplementation(async () => Response.json(clicked));
  expect(await (await createTracker(options)).ready()).toBe('clk_1');
});

it.each([
  ['hides `screen`', () => vi.stubGlobal('screen', null)],
  [
    'hides `Temporal` and breaks `Intl`',
    () => {
      vi.stubGlobal('Temporal', undefined);
      vi.spyOn(Intl, 'DateTimeFormat').mockImplementationOnce(() => expect.fail('broken by the page'));
    },
  ],
])('sends the click without its description if the page %s', async (_cause, damage) => {
  damage();
  expect(await (await createTracker(options)).ready()).toBe('clk_1');
  expect(bodies()[0]).not.toHaveProperty('timezone');
});

it('does not send the job of another tab until that tab is closed', async () => {
  const openNextPage = () => Reflect.deleteProperty(window, Symbol.for('affkit'));
  fetch.mockImplementation(() => new Promise(() => {}));
  await createTracker(options);
  await vi.advanceTimersByTimeAsync(0);
  expect(fetch).toHaveBeenCalledTimes(1);

  openNextPage();
  expect(await (await createTracker(options)).ready()).toBe(null);
  expect(fetch).toHaveBeenCalledTimes(1);

  window.dispatchEvent(new Event('pagehide'));
  openNextPage();
  fetch.mockImplementation(async () => Response.json(clicked));
  expect(await (await createTracker(options)).ready()).toBe('clk_1');
  expect(fetch).toHaveBeenCalledTimes(2);
  expect(bodies()[1]).toEqual(bodies()[0]);
});

it('ignores a response after a reset', async () => {
  let respond = (_response: Response) => {};
  fetch.mockImplementation(
    () =>
      new Promise((resolve) => {
        respond = resolve;
      }),
  );
  const tracker = await createTracker(options);
  await vi.advanceTimersByTimeAsync(0);
  tracker.reset();
  respond(Response.json(clicked));
  expect(await tracker.ready()).toBe(null);
  expect([document.cookie, localStorage.length]).toEqual(['', 0]);
});

it('drops the landing and a lead once consent is denied, even if it becomes pending in the same task and is granted later', async () => {
  const tracker = await createTracker({ ...options, consent: 'pending' });
  const lead = tracker.trackLead({ customer_key: 'user_1', click_id: 'clk_1' });
  await vi.advanceTimersByTimeAsync(0);
  tracker.consent('denied');
  tracker.consent('pending');
  await vi.advanceTimersByTimeAsync(10_000);
  tracker.consent('granted');
  await vi.advanceTimersByTimeAsync(10_000);
  expect(await lead).toBe(null);
  expect(fetch).not.toHaveBeenCalled();
});

it('neither sends a click again nor stores its response while consent is pending again', async () => {
  fetch.mockImplementation(async () => busy());
  const tracker = await createTracker(options);
  await vi.advanceTimersByTimeAsync(0);
  tracker.consent('pending');
  await vi.advanceTimersByTimeAsync(10_000);
  expect(fetch).toHaveBeenCalledTimes(1);

  const { promise, resolve } = Promise.withResolvers<Response>();
  fetch.mockImplementation(() => promise);
  tracker.consent('granted');
  await vi.advanceTimersByTimeAsync(0);
  expect(fetch).toHaveBeenCalledTimes(2);
  tracker.consent('pending');
  resolve(Response.json(clicked));
  await vi.advanceTimersByTimeAsync(0);
  expect(document.cookie).toBe('');
  tracker.consent('granted');
  expect(await tracker.ready()).toBe('clk_1');
  expect(fetch).toHaveBeenCalledTimes(2);
});

it('sends every test event and stores none', async () => {
  const tracker = await createTracker({ ...options, auto: false });
  fetch.mockImplementation(async () =>
    Response.json({ success: true, message: 'ok', data: { test_mode: true } }),
  );
  const outcome = { sent: true, clickId: null, partnerCode: 'ann' };
  expect(await tracker.trackClick(undefined, { test_mode: true })).toEqual(outcome);
  expect(await tracker.trackClick(undefined, { test_mode: true })).toEqual(outcome);
  expect(tracker.getClickId()).toBe(null);
  fetch.mockImplementation(async () => Response.json(clicked));
  expect(await tracker.trackClick()).toMatchObject({ sent: true, clickId: 'clk_1' });
});

it('waits until a prerendered page is visible', async () => {
  const document = Document.prototype as { prerendering?: boolean };
  document.prerendering = true;
  const ready = (await createTracker(options)).ready();
  await vi.advanceTimersByTimeAsync(0);
  expect(fetch).not.toHaveBeenCalled();
  document.prerendering = false;
  window.document.dispatchEvent(new Event('prerenderingchange'));
  expect(await ready).toBe('clk_1');
  expect(fetch).toHaveBeenCalledOnce();
});
