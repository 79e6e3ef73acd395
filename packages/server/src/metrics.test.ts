import { expect, test } from 'vitest';
import { routeLabel } from './metrics.ts';

test.each([
  ['/api/v1/track/click', '/api/v1/track/click'],
  ['/api/v1/webhooks/processor/7', '/api/v1/webhooks/processor'],
  ['/api/tracking/click', '/api/tracking/click'],
  ['/api/tracking/events/12', '/api/tracking/events'],
  ['/api/advertiser/affiliate-programs/12/partners/4', '/api/advertiser/affiliate-programs'],
  ['/docs', '/docs'],
])('labels the path %s with the route %s', (path, route) => {
  expect(routeLabel(path)).toBe(route);
});
