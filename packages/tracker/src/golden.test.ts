// @vitest-environment jsdom
// @vitest-environment-options { "url": "https://shop.example/?aff=anna" }
import { trackClickRequest, trackLeadRequest } from '@affkit/protocol';
import fixtures from '@affkit/protocol/fixtures/tracking.json' with { type: 'json' };
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { TrackerOptions } from './index.ts';

const fetch = vi.fn(async (_url: string, _init: RequestInit) => reply("a click by a partner's link"));
const options = { baseUrl: 'https://t.example' };

/** The tracker of a new page. */
async function createTracker(settings: TrackerOptions) {
  vi.resetModules();
  return (await import('./index.ts')).createTracker(settings);
}

/** The golden reply of that name; placeholders stand for themselves. */
function reply(name: string): Response {
  const fixture = fixtures.find((known) => known.name === name);
  if (!fixture) throw new Error(`No golden reply is called ${name}`);
  return Response.json(fixture.response.body, { status: fixture.response.status });
}

function answer(name: string): void {
  fetch.mockImplementation(async () => reply(name));
}

beforeEach(() => {
  vi.stubGlobal('fetch', fetch);
  fetch.mockClear();
  answer("a click by a partner's link");
});

afterEach(async () => {
  (await createTracker({ ...options, auto: false })).reset();
  vi.unstubAllGlobals();
});

const body = (call: number) => JSON.parse(String(fetch.mock.calls[call]?.[1].body));

describe('by the golden requests and replies', () => {
  it('a click is sent as the protocol reads it, and its id kept', async () => {
    expect(await (await createTracker(options)).ready()).toBe('$click');
    const request = trackClickRequest.parse(body(0));
    expect(request).toMatchObject({ affiliate_url: 'https://shop.example/?aff=anna' });
    expect(request.additional_data?.idempotency_key).toMatch(/^.{16,64}$/);
  });

  it.each([
    ['a click on an unknown link', 'referral_link_not_found'],
    ['a click on an inactive link', 'link_inactive'],
  ])('%s is told with its code, and keeps no id', async (name, reason) => {
    answer(name);
    const tracker = await createTracker({ ...options, auto: false });
    expect(await tracker.trackClick()).toEqual({ sent: false, reason });
    expect(tracker.getClickId()).toBe(null);
  });

  it('a lead is sent as the protocol reads it, and a repeat is taken as recorded', async () => {
    const tracker = await createTracker(options);
    await tracker.ready();
    answer('a lead proved by its click');
    const lead = { customer_key: 'user-1', email: 'ann@example.com' };
    expect(await tracker.trackLead(lead)).toMatchObject({ success: true, duplicate: false });
    expect(trackLeadRequest.parse(body(1))).toMatchObject({ ...lead, click_id: '$click' });
    answer('the same lead again');
    expect(await tracker.trackLead(lead)).toMatchObject({ success: true, duplicate: true });
  });
});
