import { expect, it } from 'vitest';
import { createTracker } from './create-tracker.ts';

it('does nothing on a server', async () => {
  const tracker = createTracker({ baseUrl: 'https://t.example' });
  expect(tracker.getClickId()).toBe(null);
  expect(await tracker.ready()).toBe(null);
  expect(await tracker.trackClick('ann')).toEqual({ sent: false, reason: 'no_browser' });
  expect(await tracker.trackLead({ customer_key: 'user_1' })).toBe(null);
  expect(tracker.debug()).toEqual({ clickId: null });
  tracker.reset();
});
