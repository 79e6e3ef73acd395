import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { z } from 'zod';
import type { ReplyDescription, RouteDescription } from '../../src/http/openapi/description.ts';
import { DESCRIPTIONS } from '../../src/http/openapi/descriptions.ts';
import type { OpenApiDocument } from '../../src/http/openapi/document.ts';
import { emitOpenApi } from '../../src/http/openapi/operations.ts';
import { listSchemaFields } from '../../src/http/openapi/schema-fields.ts';
import { bodySchemaOf } from '../../src/http/route.ts';
import { routeTable } from '../../src/http/route-table.ts';
import { sqliteEngine } from '../../src/storage/sqlite.ts';
import { createRecorders } from '../../src/tracking/recorders.ts';
import { makeWorld, signInOwner, type World } from '../support/world.ts';

const descriptions: Readonly<Record<string, RouteDescription>> = DESCRIPTIONS;

let world: World;
let document: OpenApiDocument;
let keys: string[];
let bodySchemas: ReadonlyMap<string, z.ZodType | undefined>;

/** Returns a world on a new database. */
const openWorld = () => makeWorld(sqliteEngine({ path: ':memory:' }));

// All tests share the document, because creating it takes longer than most of them.
beforeAll(async () => {
  world = await openWorld();
  const routes = routeTable(createRecorders(world.affkit.runtime));
  keys = routes.map(({ method, path }) => `${method} ${path}`);
  bodySchemas = new Map(routes.map((route) => [`${route.method} ${route.path}`, bodySchemaOf(route)]));
  document = emitOpenApi(routes, DESCRIPTIONS);
});
afterAll(() => world.affkit.close());

describe('OpenAPI document', () => {
  test('the document contains exactly the routes of the route table', () => {
    expect(Object.keys(DESCRIPTIONS).sort()).toEqual([...keys].sort());
    const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`),
    );
    expect(operations.sort()).toEqual([...keys].sort());
  });

  test('describes every request field and every parameter', () => {
    const undescribed = Object.values(document.paths)
      .flatMap((methods) => Object.values(methods))
      .flatMap(({ operationId, requestBody, parameters = [] }) => {
        const schema = requestBody?.content['application/json']?.schema ?? {};
        const fields = listSchemaFields(schema, document.components.schemas);
        const texts = [...fields, ...parameters.map(({ name, description: text }) => ({ name, text }))];
        return texts.filter(({ text }) => text === '').map(({ name }) => `${operationId}: ${name}`);
      });
    expect(undescribed).toEqual([]);
  });

  test('shows optional credentials, nullable fields, and the errors that only management keys get', () => {
    const operationText = (path: string, method: string) => JSON.stringify(document.paths[path]?.[method]);
    expect(operationText('/api/auth/accept-invite', 'post')).toContain(
      '"security":[{},{"session":[]},{"bareSession":[]},{"browserSession":[]}]',
    );
    expect(operationText('/api/advertiser/api-keys/{id}', 'delete')).toContain('scope_escalation');
    const { ApiKeyRequest, LeadRequest, LoginRequest } = document.components.schemas;
    expect(JSON.stringify(ApiKeyRequest?.properties?.['expires_at'])).toContain('"null"');
    expect(JSON.stringify(LeadRequest)).toContain('Only its hash');
    expect(JSON.stringify(LoginRequest)).not.toContain('hash');
  });

  test('shows that the required fields of leads and sales depend on test mode', () => {
    const requiredOf = (name: string) =>
      document.components.schemas[name]?.anyOf?.map(({ required }) => required);
    expect(requiredOf('SaleRequest')).toEqual([['transaction_id', 'amount_cents'], ['additional_data']]);
    expect(requiredOf('LeadRequest')).toEqual([['click_id'], ['customer_key'], ['additional_data']]);
  });

  test('shows the message of each route for a credential of the wrong type', () => {
    const textOf = (path: string, method: string) => {
      const errors = document.paths[path]?.[method]?.responses['401']?.content['application/json']?.examples;
      const name = errors?.['token_wrong_type']?.$ref?.split('/').at(-1) ?? '';
      return document.components.examples[name]?.summary;
    };
    const prefix = 'Wrong type of credential: this route requires a';
    expect(textOf('/api/v1/track/sale', 'post')).toBe(`${prefix} program tracking token (aff_…)`);
    expect(textOf('/api/auth/me', 'get')).toBe(`${prefix} session`);
    expect(textOf('/api/advertiser/affiliate-programs', 'get')).toBe(
      `${prefix} session or a management key (affk_…)`,
    );
  });

  test('says that statistics cover whole days, and that event lists have exact start and end times', () => {
    const textsOf = (path: string) =>
      (document.paths[path]?.['get']?.parameters ?? [])
        .filter(({ name }) => name.startsWith('date'))
        .map(({ description }) => description);
    const performance = textsOf('/api/tracking/performance/{programId}');
    expect(performance).toEqual([
      expect.stringContaining('starts with the whole UTC day'),
      expect.stringContaining('ends with the whole UTC day'),
    ]);
    expect(textsOf('/api/tracking/events/{programId}')).toEqual([
      expect.stringMatching(/instant .*inclusive/),
      expect.stringMatching(/instant .*inclusive/),
    ]);
  });

  test('is served unchanged and without a credential', async () => {
    const reply = await world.call('GET', '/api/openapi.json');
    expect(reply).toMatchObject({
      status: 200,
      headers: { 'content-type': 'application/json; charset=utf-8' },
      body: expect.any(Uint8Array),
    });
    expect(JSON.parse(String(reply.body))).toEqual(JSON.parse(JSON.stringify(document)));
  });
});

describe('examples', () => {
  test('request examples match the schemas of the routes', () => {
    for (const [key, { body }] of Object.entries(descriptions)) {
      for (const [name, example] of Object.entries(body?.examples ?? {})) {
        const parsed = bodySchemas.get(key)?.safeParse(example);
        expect({ key, name, success: parsed?.success, error: parsed?.error }).toEqual({
          key,
          name,
          success: true,
        });
      }
    }
  });

  test('reply examples have exactly the fields of their schemas', () => {
    for (const [key, { replies }] of Object.entries(descriptions)) {
      for (const { schema, examples } of Object.values(replies)) {
        for (const [name, example] of Object.entries(examples)) {
          if (schema)
            expect({ key, name, parsed: schema.parse(example) }).toEqual({ key, name, parsed: example });
        }
      }
    }
  });
});

describe('replies of the service', () => {
  test('replies to the tracking fixtures match the document', () => {
    for (const { name, request, response } of readFixtures()) {
      const description = descriptions[`${request.method} ${request.path}`];
      const sent = bodySchemas.get(`${request.method} ${request.path}`)?.safeParse(fill(request.body));
      if (response.status === 200) {
        expect({ name, error: sent?.error }).toEqual({ name });
        const body = fill(response.body);
        expect({ name, body: description?.replies[200]?.schema?.parse(body) }).toEqual({ name, body });
      } else {
        const path = document.paths[request.path]?.[request.method.toLowerCase()];
        const codes = path?.responses[String(response.status)]?.content['application/json']?.examples ?? {};
        expect({ name, codes: Object.keys(codes) }).toEqual({
          name,
          codes: expect.arrayContaining([response.body['code']]),
        });
      }
    }
  });

  test('replies of every GET route match the document', async () => {
    await recordChain();
    const session = await signInOwner(world);
    await makeOwnerAPartner();
    const payouts = `/api/advertiser/affiliate-programs/${world.program.id}/payouts`;
    await world.call('POST', payouts, {}, session);
    const page = `/api/advertiser/affiliate-programs/${world.program.id}/page`;
    await world.call('PUT', page, { published: true }, session);
    const details = { method: 'other', instructions: 'cash', partner_id: world.anna.partnerId };
    await world.call('PUT', '/api/partner/payout-details', details, session);
    const order = { channel: 'file:csv', currency: 'USD' };
    await world.call('POST', payouts.replace('payouts', 'payout-batches'), order, session);
    const endpoint = { url: 'https://shop.example/', event_types: ['payout.paid'] };
    const endpoints = payouts.replace('payouts', 'webhook-endpoints');
    await world.call('POST', endpoints, endpoint, session);
    await world.call('POST', `${endpoints}/1/test`, {}, session);
    const reads = keys.filter((key) => key.startsWith('GET ') && !key.endsWith('openapi.json'));
    const checked: string[] = [];
    for (const key of reads) {
      const schema = descriptions[key]?.replies[200]?.schema;
      if (!schema) continue;
      const path = key
        .slice('GET '.length)
        .replace(/:(id|programId)/, String(world.program.id))
        .replace(':partnerId', String(world.anna.partnerId))
        .replace(':slug', world.program.slug)
        // The earlier requests created one row of every remaining kind, so the remaining ids are 1.
        .replaceAll(/:\w+Id/g, '1');
      const query = path.endsWith('/trace')
        ? '?customer_key=user-1'
        : path.endsWith('/top')
          ? '?by=link'
          : path === '/api/partner/series'
            ? `?program_id=${world.program.id}`
            : '';
      const credential = path === '/api/v1/cli/status' ? { authorization: `Bearer ${world.token}` } : session;
      const { status, body } = await world.call('GET', path + query, undefined, credential);
      expect({ key, status, body }).toMatchObject({ key, status: 200 });
      expect({ key, body: schema.parse(body) }).toEqual({ key, body });
      checked.push(key);
    }
    expect(checked.length).toBeGreaterThan(15);
  });

  test('replies of the management routes that write match the document', async () => {
    await world.affkit.close();
    world = await openWorld();
    await recordChain();
    const session = await signInOwner(world);
    const program = { id: world.program.id };
    const send = (key: string, params: Record<string, unknown>, body?: unknown) =>
      expectDescribed(key, params, body, session);
    const P = '/api/advertiser/affiliate-programs';
    const workspace = { workspace_id: world.workspaceId };
    const made = await send(`POST ${P}`, {}, { ...exampleOf(`POST ${P}`), ...workspace });
    await send(`PUT ${P}/:id`, { id: made }, exampleOf(`PUT ${P}/:id`));
    await send(`PUT ${P}/:id/page`, program, exampleOf(`PUT ${P}/:id/page`));
    await send(`POST ${P}/:id/go-live`, { id: made });
    await send(`POST ${P}/:id/regenerate-api-token`, { id: made });
    const enroll = { name: 'Cleo', email: 'cleo@blog.example', code: 'cleo' };
    const partnerId = await send(`POST ${P}/:id/partners`, program, enroll);
    await send(`POST ${P}/:id/partners`, program, enroll);
    await send(`PUT ${P}/:id/partners/:partnerId`, { ...program, partnerId }, { name: 'Cleo B.' });
    const linkId = await send(`POST ${P}/:id/links`, program, { partner_id: partnerId });
    await send(`PUT ${P}/:id/links/:linkId`, { ...program, linkId }, { status: 'inactive' });
    const terms = { type: 'percent', rate: 30, partner_id: partnerId };
    const policyId = await send(`POST ${P}/:id/commission-policies`, program, terms);
    const policy = { ...program, policyId };
    const flat = { type: 'flat', amount_cents: 500 };
    await send(`PUT ${P}/:id/commission-policies/:policyId`, policy, flat);
    await send(`DELETE ${P}/:id/commission-policies/:policyId`, policy);
    const commissionId = await findCommission();
    await send(`POST ${P}/:id/commissions/:commissionId/approve`, { ...program, commissionId });
    await send(`POST ${P}/:id/commissions/:commissionId/reject`, { ...program, commissionId });
    const keys = '/api/advertiser/api-keys';
    const key = await send(`POST ${keys}`, {}, { name: 'Reports', ...workspace });
    await send(`PUT ${keys}/:id`, { id: key }, { scopes: ['program:list'] });
    await send(`DELETE ${keys}/:id`, { id: key });
    const connections = '/api/advertiser/processor-connections';
    const connect = { ...exampleOf(`POST ${connections}`), ...workspace };
    const connection = await send(`POST ${connections}`, {}, connect);
    await send(`PUT ${connections}/:id`, { id: connection }, exampleOf(`PUT ${connections}/:id`));
    await send(`DELETE ${connections}/:id`, { id: connection });
    await send('POST /api/advertiser/workspaces', {}, { name: 'Another' });
    const members = '/api/advertiser/members';
    const person = { email: 'max@shop.example', name: 'Max', role: 'member', ...workspace };
    const member = await send(`POST ${members}`, {}, person);
    await send(`PUT ${members}/:id`, { id: member }, { role: 'admin' });
    await send(`DELETE ${members}/:id`, { id: member });
    await send(`DELETE ${P}/:id`, { id: made });
    await makeOwnerAPartner();
    const sale = { transaction_id: 'order-2', amount_cents: 1999, customer_key: 'user-1' };
    await world.track('sale', sale);
    await world.track('refund', sale);
    await world.affkit.jobs.runOnce();
    await send('POST /api/partner/notifications/:id/read', { id: 1 });
    await send('POST /api/auth/logout', {});
  });
});

describe('documentation page', () => {
  test('has an anchor for every route and loads no other resources', async () => {
    const { status, headers } = await world.call('GET', '/docs');
    const html = await readPage();
    expect(status).toBe(200);
    expect(headers['content-type']).toBe('text/html; charset=utf-8');
    for (const { id } of Object.values(descriptions)) {
      expect(html).toContain(`<details class="operation" id="${id}">`);
      expect(html).toContain(`<a href="#${id}">`);
    }
    expect(html).not.toMatch(/<script[^>]|<link|<img|\bsrc=|\bstyle=|@import|url\(|\bon\w+=/);
  });

  test('replies share one copy of the page and of the document; a client with a cached copy gets a 304', async () => {
    for (const path of ['/docs', '/api/openapi.json']) {
      const request = (headers: Readonly<Record<string, string>>) =>
        world.affkit.handle({
          method: 'GET',
          path,
          query: new URLSearchParams(),
          header: (name) => headers[name],
          body: () => Promise.resolve(new Uint8Array()),
          ip: null,
          secure: true,
        });
      const accepted = { 'accept-encoding': 'br' };
      const first = await request(accepted);
      expect(first?.headers).toMatchObject({ 'content-encoding': 'br', etag: expect.any(String) });
      expect((await request(accepted))?.body).toBe(first?.body);
      const again = await request({ ...accepted, 'if-none-match': first?.headers['etag'] ?? '' });
      expect([path, again?.status, again?.body]).toEqual([path, 304, null]);
    }
  });

  test('allows only its own style and script in its content security policy', async () => {
    const { headers } = await world.call('GET', '/docs');
    const hashOf = (element: RegExp, page: string) =>
      `'sha256-${createHash('sha256')
        .update(element.exec(page)?.[1] ?? '')
        .digest('base64')}'`;
    const page = await readPage();
    const style = hashOf(/<style>(.*?)<\/style>/s, page);
    const script = hashOf(/<script>(.*?)<\/script>/s, page);
    expect(headers['content-security-policy']).toContain(
      `default-src 'none'; style-src ${style}; script-src ${script};`,
    );
  });

  test('shows a curl command for every route', async () => {
    const html = await readPage();
    expect(html.match(/<summary>curl<\/summary>/g)).toHaveLength(Object.keys(descriptions).length);
    expect(html).toContain('curl \'<span class="base">');
  });
});

async function readPage(): Promise<string> {
  const { body } = await world.call('GET', '/docs');
  return String(body);
}

function exampleOf(key: string): object {
  const [example] = Object.values(descriptions[key]?.body?.examples ?? {});
  return typeof example === 'object' && example !== null ? example : {};
}

/** @returns the id of the row in the reply, or 0 if it has none */
async function expectDescribed(
  key: string,
  params: Readonly<Record<string, unknown>>,
  body: unknown,
  session: Record<string, string>,
): Promise<number> {
  const [method = '', path = ''] = key.split(' ');
  const target = path.replaceAll(/:(\w+)/g, (_part, name: string) => String(params[name]));
  const reply = await world.call(method, target, body, session);
  const replies: Readonly<Record<number, ReplyDescription>> = descriptions[key]?.replies ?? {};
  expect({ key, described: Object.keys(replies), body: reply.body }).toMatchObject({
    described: expect.arrayContaining([String(reply.status)]),
  });
  expect({ key, body: replies[reply.status]?.schema?.parse(reply.body) }).toEqual({ key, body: reply.body });
  const data = reply.body['data'];
  return typeof data === 'object' && data !== null && 'id' in data ? Number(data.id) : 0;
}

async function findCommission(): Promise<number> {
  const { id } = await world.engine.read
    .selectFrom('commissions')
    .select('id')
    .orderBy('id', 'desc')
    .executeTakeFirstOrThrow();
  return id;
}

/** Links the user of the first owner to the partner Anna. */
async function makeOwnerAPartner(): Promise<void> {
  const { id } = await world.engine.read.selectFrom('users').select('id').executeTakeFirstOrThrow();
  await world.engine.write(0, (tx) =>
    tx.db.updateTable('partners').set({ user_id: id }).where('id', '=', world.anna.partnerId).execute(),
  );
}

async function recordChain(): Promise<void> {
  const { anna } = world;
  const authorization = `Bearer ${world.token}`;
  const click = await world.call('POST', '/api/v1/track/click', {
    affiliate_url: `https://shop.example/?aff=${anna.code}`,
  });
  const ids = { click_id: click.body['click_id'], customer_key: 'user-1' };
  await world.call('POST', '/api/v1/track/lead', ids, { authorization });
  const sale = { transaction_id: 'order-1', amount_cents: 1999, customer_key: 'user-1' };
  const recorded = await world.call('POST', '/api/v1/track/sale', sale, { authorization });
  expect(recorded.status).toBe(200);
}

interface Fixture {
  name: string;
  request: { method: string; path: string; body: Record<string, unknown> };
  response: { status: number; body: Record<string, unknown> };
}

function readFixtures(): Fixture[] {
  const file = createRequire(import.meta.url).resolve('@affkit/protocol/fixtures/tracking.json');
  return JSON.parse(readFileSync(file, 'utf8')) as Fixture[];
}

/** Replaces the placeholders of the fixtures with values of their type. */
function fill(body: Record<string, unknown>): unknown {
  return JSON.parse(
    JSON.stringify(body).replaceAll('"$integer"', '1').replaceAll('"$string"', '"text"').replaceAll('$', ''),
  );
}
