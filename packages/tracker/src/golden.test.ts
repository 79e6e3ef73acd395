// @vitest-environment jsdom
// @vitest-environment-options { "url": "https://shop.example/?aff=anna" }
import { trackClickRequest, trackLeadRequest } from '@affkit/protocol';
import fixtures from '@affkit/protocol/fixtures/tracking.json' with { type: 'json' };
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { TrackerOptions } from './index.ts';

const fetch = vi.fn(async (_url: string, _init: RequestInit) => reply("a click on a partner's link"));
const options = { baseUrl: 'https://t.example' };

/** Creates a tracker as on a new page. */
async function createTracker(settings: TrackerOptions) {
  vi.resetModules();
  return (await import('./index.ts')).createTracker(settings);
}

/** Returns the response with this name from the fixtures, with a click id in place of `$click`. */
function reply(name: string): Response {
  const fixture = fixtures.find((known) => known.name === name);
  if (!fixture) throw new Error(`There is no golden response named "${name}"`);
  const body = JSON.stringify(fixture.response.body).replaceAll('$click', 'clk_golden');
  return new Response(body, { status: fixture.response.status });
}

function respondWith(name: string): void {
  fetch.mockImplementation(async () => reply(name));
}

beforeEach(() => {
  vi.stubGlobal('fetch', fetch);
  fetch.mockClear();
  respondWith("a click on a partner's link");
});

afterEach(async () => {
  (await createTracker({ ...options, auto: false })).reset();
  vi.unstubAllGlobals();
});

const body = (call: number) => JSON.parse(String(fetch.mock.calls[call]?.[1].body));

describe('with the golden requests and responses', () => {
  it('sends a click that the protocol accepts, and stores the click id', async () => {
    expect(await (await createTracker(options)).ready()).toBe('clk_golden');
    const request = trackClickRequest.parse(body(0));
    expect(request).toMatchObject({ affiliate_url: 'https://shop.example/?aff=anna' });
    expect(request.additional_data?.idempotency_key).toMatch(/^.{16,64}$/);
  });

  it.each([
    ['a click on an unknown link', 'referral_link_not_found'],
    ['a click on an inactive link', 'link_inactive'],
  ])('returns the error code for %s and stores no id', async (name, reason) => {
    respondWith(name);
    const tracker = await createTracker({ ...options, auto: false });
    expect(await tracker.trackClick()).toEqual({ sent: false, reason });
    expect(tracker.getClickId()).toBe(null);
  });

  it('sends a lead that the protocol accepts, and reports a repeated lead as a duplicate', async () => {
    const tracker = await createTracker(options);
    await tracker.ready();
    respondWith('a lead identified by its click');
    const lead = { customer_key: 'user-1', email: 'ann@example.com' };
    expect(await tracker.trackLead(lead)).toMatchObject({ success: true, duplicate: false });
    expect(trackLeadRequest.parse(body(1))).toMatchObject({ ...lead, click_id: 'clk_golden' });
    respondWith('the same lead again');
    expect(await tracker.trackLead(lead)).toMatchObject({ success: true, duplicate: true });
  });
});
