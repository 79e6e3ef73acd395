import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import * as protocol from '../../packages/protocol/src/index.ts';
import { type Expression, findExpressionProblems, findExpressions } from './expressions.ts';

const root = join(import.meta.dirname, '../..');

test('every regular expression of the packages and their schemas takes linear time', async () => {
  const ofSources = globSync('packages/*/{src,app}/**/*.{ts,tsx,js,mjs}', { cwd: root })
    .filter((path) => !path.endsWith('.test.ts'))
    .flatMap((path) => findExpressions({ path, text: readFileSync(join(root, path), 'utf8') }));
  const ofSchemas = expressionsOfSchemas(protocol);
  expect(ofSources.length).toBeGreaterThan(250);
  expect(ofSchemas.length).toBeGreaterThan(5);
  expect(await findExpressionProblems([...ofSources, ...ofSchemas])).toEqual([]);
});

test('reports an expression with quadratic or exponential time, and its attack', async () => {
  const [quadratic, exponential, ...others] = await findExpressionProblems([
    ...findExpressions({ path: 'a.ts', text: String.raw`url.replace(/\/+$/, '')` }),
    ...findExpressions({ path: 'b.ts', text: 'text.match(/^(?:a|a)*$/)' }),
    ...findExpressions({ path: 'c.ts', text: 'text.match(/^(?:a|b)*$/)' }),
  ]);
  expect(quadratic).toMatch(
    /^a\.ts: \/\\\/\+\$\/ takes 2nd degree polynomial time, for example for '\/'\.repeat/,
  );
  expect(exponential).toMatch(/^b\.ts: .* takes exponential time, for example for 'a'\.repeat/);
  expect(others).toEqual([]);
});

test.each(['new RegExp(text)', "RegExp('a', 'i')"])('rejects a file with %s', (text) => {
  expect(() => findExpressions({ path: 'a.ts', text })).toThrow(
    'a.ts builds a regular expression at run time',
  );
});

/** Returns the expressions of zod schemas. They include zod's own expressions, for example for an email address. */
function expressionsOfSchemas(schemas: object): Expression[] {
  const seen = new Set<object>();
  const found: Expression[] = [];
  const visit = (value: unknown): void => {
    if (!isObject(value) || seen.has(value)) return;
    seen.add(value);
    if (value instanceof RegExp) found.push({ path: 'a schema', source: value.source, flags: value.flags });
    const items = value instanceof Map || value instanceof Set ? value.values() : Object.values(value);
    for (const item of items) visit(item);
    // zod hides the definition of a schema from `Object.values`.
    if ('_zod' in value) visit(value._zod);
  };
  visit({ ...schemas });
  return found;
}

function isObject(value: unknown): value is object {
  return (typeof value === 'object' && value !== null) || typeof value === 'function';
}
