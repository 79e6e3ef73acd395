import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { AffkitError } from '@affkit/node';
import { AffkitManagement } from '@affkit/node/management';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { createTestAffkit } from '../src/index.ts';
import { connectTo, managementContract, rejectionOf, signIn } from './management-contract.ts';
import {
  commentsByRoute,
  managementOperations,
  type OpenApiDocument,
  operationTypes,
} from './operation-types.ts';

let document: OpenApiDocument;

beforeAll(async () => {
  const server = await createTestAffkit();
  document = (await (await server.fetch(`${server.baseUrl}/api/openapi.json`)).json()) as OpenApiDocument;
  await server.close();
});

describe('on SQLite', () => managementContract(() => createTestAffkit({ program: { hold_days: 0 } })));

test('the generated types of the routes match the OpenAPI document', async () => {
  await expect(operationTypes(document)).toMatchFileSnapshot('../../node/src/management/operations.ts');
});

test('the comment of each method names the scope or session that its route requires', () => {
  const folder = join(import.meta.dirname, '../../node/src/management');
  const sources = ['workspace-routes.ts', 'program-routes.ts'].map((name) =>
    readFileSync(join(folder, name), 'utf8'),
  );
  const comments = commentsByRoute(sources.join('\n'));
  for (const [route, { security = [], 'x-scope': scope }] of managementOperations(document)) {
    const takesKey = security.some((each) => 'managementKey' in each);
    const named = takesKey ? (scope ? `Scope \`${scope}\`` : '') : '[Rr]equires (a|the) session';
    expect([route, comments.get(route)]).toEqual([route, expect.stringMatching(named)]);
  }
});

test('every management route has exactly one client method, and every method calls an existing route', async () => {
  const requests: string[] = [];
  // This test also ends sessions, so it needs its own server.
  const other = await createTestAffkit();
  onTestFinished(() => other.close());
  const everything = connectTo(other, await signIn(other), {
    programId: 7,
    maxRetries: 0,
    fetch: async (url, init) => {
      const { pathname } = new URL(url);
      const hasBody = init.body !== null;
      requests.push(`${init.method} ${pathname} ${hasBody ? 'with a body' : 'without a body'}`);
      return await other.fetch(url, init);
    },
  });
  const codes: string[] = [];
  const methods = Object.values(everything)
    .filter((resource) => typeof resource === 'object')
    .flatMap((resource) => Object.values(resource as Record<string, (...args: unknown[]) => unknown>));
  for (const method of methods) codes.push(await codeOf(method));

  const expected = [...managementOperations(document)].map(([route, { requestBody }]) => {
    const isOfProgram = !/affiliate-programs\/:id(\/go-live|\/regenerate-api-token)?$/.test(route);
    const filled = route.replace(/(affiliate-programs|tracking\/\w+)\/:\w+/, isOfProgram ? '$1/7' : '$1/9');
    return `${filled.replaceAll(/:\w+/g, '9')} ${requestBody ? 'with a body' : 'without a body'}`;
  });
  expect(requests.toSorted()).toEqual(expected.toSorted());
  expect(codes).not.toContain('route_not_found');
  expect(codes).not.toContain('method_not_allowed');
});

/**
 * Calls a client method. Tries several lists of arguments until the client accepts one and sends a request.
 * @returns the error code in the server's reply, or an empty string if the request succeeded
 */
async function codeOf(method: (...args: unknown[]) => unknown): Promise<string> {
  for (const args of [[{}], [9, {}], [9, 9], ['name,email'], [9, 'payout_id,status']]) {
    try {
      const result = method(...args);
      const isList = typeof result === 'object' && result !== null && 'page' in result;
      const reply = await (isList ? (result as { page(): Promise<unknown> }).page() : result);
      // Cancel an export, because it keeps a snapshot of the database open until its stream ends.
      if (reply instanceof ReadableStream) await reply.cancel();
      return '';
    } catch (error) {
      if (!(error instanceof AffkitError)) throw error;
      if (error.attempts > 0) return error.code;
    }
  }
  throw new Error('The method accepts none of the lists of arguments');
}

test('a call that creates something is not retried, and its error says what to do', async () => {
  let requests = 0;
  const broken = new AffkitManagement({
    apiKey: 'affk_key',
    baseUrl: 'https://affkit.test',
    programId: 1,
    logLevel: 'off',
    fetch: async () => {
      requests += 1;
      throw new TypeError('fetch failed');
    },
  });
  const error = await rejectionOf(broken.links.create({ partner_id: 1 }));
  expect(error).toMatchObject({ code: 'connection_failed', retryable: false, attempts: 1 });
  expect(String(error)).toContain('links.create');
  expect(String(error)).toContain('Check before you repeat the call');
  expect(requests).toBe(1);
});
