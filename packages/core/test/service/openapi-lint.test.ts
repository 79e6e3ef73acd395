import { createConfig, lintFromString } from '@redocly/openapi-core';
import spectral, { type RulesetDefinition } from '@stoplight/spectral-core';
import rulesets from '@stoplight/spectral-rulesets';
import { expect, test } from 'vitest';
import type { OtherRoute } from '../../src/http/openapi/description.ts';
import { createAffkit } from '../../src/index.ts';
import { sqliteEngine } from '../../src/storage/sqlite.ts';
import { byDepth } from '../support/test-depth.ts';
import { createCaller, SECRET } from '../support/world.ts';

/** A route of the embedding app without a JSON body. */
const HOST_ROUTE: OtherRoute = {
  path: '/js/affkit.0123456789abcdef.js',
  id: 'readScript',
  tag: 'Service',
  summary: 'Load the script',
  description: 'The tracker.',
  replies: { 200: { text: 'The script.', mediaType: 'text/javascript', examples: { Start: '(function' } } },
  errors: ['headers_too_large'],
};

test('the document passes Redocly recommended-strict without exceptions', async () => {
  expect(await lintWithRedocly(await readDocument())).toEqual([]);
});

test('Redocly checks each example against its schema', async () => {
  const document = (await readDocument()) as {
    components: { examples: Record<string, { value: unknown }> };
    paths: Record<string, unknown>;
  };
  const path = '/api/advertiser/affiliate-programs';
  document.paths = { [path]: document.paths[path] };
  const wrong = { error: 'Forbidden', code: 'no such code', request_id: 'r' };
  document.components.examples['forbidden'] = { value: wrong };
  expect(await lintWithRedocly(document)).toContainEqual(
    expect.stringContaining('no-invalid-media-type-examples'),
  );
});

/** This rule takes most of Spectral's time. Redocly checks the examples too. */
const EXAMPLES_RULE = {
  'oas3-valid-media-example': byDepth<'off' | 'error'>({ short: 'off', long: 'error' }),
};

test('the document passes the Spectral ruleset oas without exceptions', async () => {
  const linter = new spectral.Spectral();
  linter.setRuleset({ extends: [rulesets.oas as object as RulesetDefinition], rules: EXAMPLES_RULE });
  const problems = await linter.run(JSON.stringify(await readDocument()));
  expect(problems.map(({ code, path, message }) => `${code} ${path.join('/')}: ${message}`)).toEqual([]);
});

async function readDocument(): Promise<unknown> {
  const engine = sqliteEngine({ path: ':memory:' });
  const affkit = createAffkit({ engine, secret: SECRET, otherRoutes: [HOST_ROUTE] });
  const { body } = await createCaller(affkit)('GET', '/api/openapi.json');
  await affkit.close();
  return JSON.parse(String(body));
}

async function lintWithRedocly(document: unknown): Promise<string[]> {
  const config = await createConfig({ extends: ['recommended-strict'] });
  const problems = await lintFromString({ source: JSON.stringify(document), config });
  return problems.map(({ ruleId, message, location }) => `${ruleId} ${location[0]?.pointer}: ${message}`);
}
