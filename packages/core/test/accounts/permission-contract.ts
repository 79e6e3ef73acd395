import { afterAll, beforeAll, expect, it } from 'vitest';
import type { OpenEngine } from '../support/engine-kinds.ts';
import { type Fixture, openFixture } from './permission-fixture.ts';
import { CREDENTIALS, type Credential, expectedOutcome, PERMISSIONS } from './permission-matrix.ts';
import { requestFor } from './permission-requests.ts';

const P = '/api/advertiser/affiliate-programs';
/** Answers of a route that let the caller in: a write may still be refused for what it says. */
const THROUGH = { read: [200], write: [200, 201, 400, 409] };
/** Routes by which the caller loses its credential. */
const SPENDING = [
  'POST /api/auth/logout',
  'DELETE /api/advertiser/api-keys/:id',
  `POST ${P}/:id/regenerate-api-token`,
];

/** Routes that answer a secret, once. */
const ISSUING = [`POST ${P}`, `POST ${P}/:id/regenerate-api-token`, 'POST /api/advertiser/api-keys'];
/** Their examples show secrets that were made up. */
const DESCRIBING = ['GET /api/openapi.json', 'GET /docs'];
const SECRET = /affk?_[0-9A-Za-z]{36}/;

const AMONG_WORKSPACES = Object.keys(PERMISSIONS).filter(
  (route) => PERMISSIONS[route]?.reach === 'workspace',
);
const CREATING = AMONG_WORKSPACES.filter((route) => PERMISSIONS[route]?.creates);

/** Each route with each credential against the table, on any engine. */
export function permissionContract(open: OpenEngine): void {
  let fixture: Fixture;

  beforeAll(async () => {
    fixture = await openFixture(open);
  });
  afterAll(() => fixture.world.close());

  async function outcomeOf(route: string, credential: Credential, named: boolean) {
    const { token, keyId } = await fixture.issue(credential);
    const { target, body } = await requestFor(route, fixture, { named, ownKeyId: keyId });
    const options = { body, ...(token !== undefined && { token }) };
    const reply = await fixture.world.call(route.split(' ')[0] ?? '', target, options);
    const { status } = reply;
    if (![...ISSUING, ...DESCRIBING].includes(route)) expect(JSON.stringify(reply.body)).not.toMatch(SECRET);
    if (token !== undefined && !ISSUING.includes(route))
      expect(JSON.stringify(reply.body)).not.toContain(token);
    return THROUGH[route.startsWith('GET') ? 'read' : 'write'].includes(status) ? 'through' : status;
  }

  async function compare(route: string, named: boolean): Promise<void> {
    const permission = PERMISSIONS[route];
    if (!permission) throw new Error(`${route} is not in the table`);
    const outcomes: [Credential, unknown][] = [];
    const expected: [Credential, unknown][] = [];
    for (const credential of CREDENTIALS) {
      outcomes.push([credential, await outcomeOf(route, credential, named)]);
      expected.push([credential, expectedOutcome(permission, credential, named)]);
    }
    if (SPENDING.includes(route)) fixture.renew();
    expect(Object.fromEntries(outcomes)).toEqual(Object.fromEntries(expected));
  }

  it.each(Object.keys(PERMISSIONS))('%s lets in whom the table says', (route) => compare(route, true));

  it.each(AMONG_WORKSPACES)('%s without a workspace_id acts on what is the caller’s own', (route) =>
    compare(route, false),
  );

  it.each(CREATING)('%s says who may not before it looks at the body', async (route) => {
    const [method = '', target = ''] = route.split(' ');
    const { token = '' } = await fixture.issue('session of viewer');
    expect(await fixture.world.call(method, target, { token, body: {} })).toMatchObject({ status: 403 });
  });
}
