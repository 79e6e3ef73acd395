import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import express from 'express';
import { describe, expect, onTestFinished, test } from 'vitest';
import { expressAdapter } from '../../src/adapters/express.ts';
import { fetchAdapter } from '../../src/adapters/fetch.ts';
import { nodeAdapter } from '../../src/adapters/node.ts';
import type { Affkit } from '../../src/create-affkit.ts';
import { changeLink } from '../../src/management/links.ts';
import { sqliteEngine } from '../../src/storage/sqlite.ts';
import { type Send, sendTo } from '../support/listen.ts';
import { addLink, makeWorld, unwrap, type World } from '../support/world.ts';

interface Fixture {
  name: string;
  request: { method: string; path: string; authorization?: string; body: Record<string, unknown> };
  response: { status: number; body: Record<string, unknown> };
}

const file = createRequire(import.meta.url).resolve('@affkit/protocol/fixtures/tracking.json');
const fixtures = JSON.parse(readFileSync(file, 'utf8')) as Fixture[];

const adapters: Record<string, (affkit: Affkit) => Promise<Send>> = {
  Express: async (affkit) => sendTo(express().use(expressAdapter(affkit))),
  'node:http': async (affkit) => sendTo(nodeAdapter(affkit)),
  fetch: async (affkit) => {
    const handler = fetchAdapter(affkit);
    return (path, init) => handler(new Request(`http://aff.example${path}`, init));
  },
};

describe.each(Object.entries(adapters))('the %s adapter', (_name, open) => {
  test('returns the golden response to each golden request', async () => {
    const world = await makeWorld(sqliteEngine({ path: ':memory:' }));
    onTestFinished(() => world.affkit.close());
    await addInactiveLink(world);
    const send = await open(world.affkit);
    const values = new Map([['$token', world.token]]);
    for (const { name, request, response } of fixtures) {
      const reply = await send(request.path, {
        method: request.method,
        headers: {
          'content-type': 'application/json',
          ...(request.authorization !== undefined && { authorization: fill(request.authorization, values) }),
        },
        body: fill(JSON.stringify(request.body), values),
      });
      const body = (await reply.json()) as Record<string, unknown>;
      if (response.body['click_id'] === '$click') values.set('$click', String(body['click_id']));
      expect({ name, status: reply.status, body }).toEqual({
        name,
        status: response.status,
        body: expected(response.body),
      });
    }
  });
});

async function addInactiveLink(world: World): Promise<void> {
  await addLink(world, world.anna.partnerId, 'inactive');
  const link = await world.engine.read
    .selectFrom('links')
    .select('id')
    .where('short_link', '=', 'inactive')
    .executeTakeFirstOrThrow();
  unwrap(await changeLink(world.affkit.runtime, world.program, link.id, 'inactive'));
}

/** Replaces placeholders such as `$token` with their values. */
function fill(text: string, values: ReadonlyMap<string, string>): string {
  let filled = text;
  for (const [name, value] of values) filled = filled.replaceAll(name, value);
  return filled;
}

/** Converts a golden body to matchers: `$integer`, `$string` and `$click` match any value of their type. */
function expected(body: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(body).map(([name, value]) => {
      if (value === '$integer') return [name, expect.any(Number)];
      if (value === '$string' || value === '$click') return [name, expect.any(String)];
      return [
        name,
        typeof value === 'object' && value !== null ? expected(value as Record<string, unknown>) : value,
      ];
    }),
  );
}
