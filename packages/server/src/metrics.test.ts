import { createAffkit } from '@affkit/core';
import { fetchAdapter } from '@affkit/core/fetch';
import { sqliteEngine } from '@affkit/core/sqlite';
import { expect, test } from 'vitest';
import { routeLabel } from './metrics.ts';

test.each([
  ['/api/v1/track/click', '/api/v1/track/click'],
  ['/api/v1/webhooks/processor/7', '/api/v1/webhooks/processor'],
  ['/api/tracking/click', '/api/tracking/click'],
  ['/api/tracking/events/12', '/api/tracking/events'],
  ['/api/advertiser/affiliate-programs/12/partners/4', '/api/advertiser/affiliate-programs'],
  ['/docs', '/docs'],
  ['/p/shop', '/p'],
  ['/api/v1/programs/shop/applications', '/api/v1/programs'],
])('labels the path %s with the route %s', (path, route) => {
  expect(routeLabel(path)).toBe(route);
});

test('labels no route with a value from its path', async () => {
  const affkit = createAffkit({ engine: sqliteEngine({ path: ':memory:' }), secret: 's'.repeat(32) });
  const reply = await fetchAdapter(affkit)(new Request('http://service.example/api/openapi.json'));
  const { paths } = (await reply.json()) as { paths: Record<string, unknown> };
  const templates = Object.keys(paths).filter((path) => path.includes('{'));
  expect(templates.length).toBeGreaterThan(50);
  for (const template of templates) {
    expect(routeLabel(template.replaceAll(/\{\w+\}/g, 'value'))).not.toContain('value');
  }
  await affkit.close();
});
