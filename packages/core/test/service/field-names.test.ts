import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { JsonSchema } from '../../src/http/openapi/document.ts';
import { createAffkit } from '../../src/index.ts';
import { sqliteEngine } from '../../src/storage/sqlite.ts';
import { createCaller, SECRET } from '../support/world.ts';

const SNAKE_CASE = /^[a-z][a-z0-9]*(_[a-z0-9]+)*$/;
const GUIDE = new URL('../../../../docs/api.md', import.meta.url);

test('names are in snake_case, except those that docs/api.md lists', async () => {
  const engine = sqliteEngine({ path: ':memory:' });
  const affkit = createAffkit({ engine, secret: SECRET });
  const { body } = await createCaller(affkit)('GET', '/api/openapi.json');
  await affkit.close();
  const others = [...namesIn(JSON.parse(String(body)))].filter((name) => !SNAKE_CASE.test(name));
  expect(others.sort()).toEqual(readExceptions().sort());
});

/** Returns the names of all query parameters and fields. */
function namesIn(value: unknown): Set<string> {
  const names = new Set<string>();
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    const { properties, parameters } = node as JsonSchema & {
      parameters?: { name: string; in: string }[];
    };
    if (typeof properties === 'object') for (const name of Object.keys(properties)) names.add(name);
    if (Array.isArray(parameters)) for (const one of parameters) if (one.in === 'query') names.add(one.name);
    for (const [key, child] of Object.entries(node)) if (key !== 'examples') visit(child);
  };
  visit(value);
  return names;
}

/** Returns the names in the section "Names" of the guide. */
function readExceptions(): string[] {
  const section = /\n### Names\n(.*?)\n##/s.exec(readFileSync(GUIDE, 'utf8'))?.[1] ?? '';
  const list = section.split('\n\n').at(-1) ?? '';
  return [...list.matchAll(/`(\w+)`/g)].map(([, name = '']) => name);
}
