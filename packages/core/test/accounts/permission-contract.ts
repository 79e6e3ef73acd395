import { afterAll, beforeAll, expect, it } from 'vitest';
import type { OpenEngine } from '../support/engine-kinds.ts';
import { sampleCases } from '../support/test-depth.ts';
import { type Fixture, openFixture } from './permission-fixture.ts';
import { CREDENTIALS, type Credential, expectedOutcome, PERMISSIONS } from './permission-matrix.ts';
import { requestFor } from './permission-requests.ts';

const PROGRAMS = '/api/advertiser/affiliate-programs';
/** Statuses that mean that the caller has access. A write may still be rejected because of its body. */
const ALLOWED = { read: [200], write: [200, 201, 400, 409] };
/** Routes that invalidate the credential of the caller. */
const INVALIDATING = [
  'POST /api/auth/logout',
  'DELETE /api/advertiser/api-keys/:id',
  `POST ${PROGRAMS}/:id/regenerate-api-token`,
];

/** Routes that end sessions of the caller, so each test request needs new credentials. */
const ENDING = ['DELETE /api/auth/sessions/:id', 'DELETE /api/auth/sessions'];

/** Routes that return a new secret. */
const ISSUING = [
  `POST ${PROGRAMS}`,
  `POST ${PROGRAMS}/:id/regenerate-api-token`,
  'POST /api/advertiser/api-keys',
];
/** Routes whose examples contain fictitious secrets. */
const DOCUMENTATION = ['GET /api/openapi.json', 'GET /docs'];
const SECRET = /affk?_[0-9A-Za-z]{36}/;

const WORKSPACE_ROUTES = Object.keys(PERMISSIONS).filter(
  (route) => PERMISSIONS[route]?.reach === 'workspace',
);
const CREATING = WORKSPACE_ROUTES.filter((route) => PERMISSIONS[route]?.creates);

/**
 * Tests each route with each credential against the table of permissions, on any engine.
 * @param step `npm test` tests each route only with every `step`th credential
 */
export function permissionContract(open: OpenEngine, step: number): void {
  let fixture: Fixture;

  beforeAll(async () => {
    fixture = await openFixture(open);
  });
  afterAll(() => fixture.world.close());

  async function outcomeOf(route: string, credential: Credential, named: boolean) {
    const issued = await fixture.issue(credential);
    const { token, cookie, origin, keyId: ownKeyId, sessionId: ownSessionId } = issued;
    const isNamed = named && PERMISSIONS[route]?.reach === 'workspace';
    const { target, body } = await requestFor(route, fixture, { named: isNamed, ownKeyId, ownSessionId });
    const options = {
      body,
      ...(token !== undefined && { token }),
      ...(cookie !== undefined && { cookie }),
      ...(origin !== undefined && { origin }),
    };
    const reply = await fixture.world.call(route.split(' ')[0] ?? '', target, options);
    const { status } = reply;
    const isDocument = reply.body instanceof Uint8Array;
    const text = isDocument ? new TextDecoder().decode(reply.body) : JSON.stringify(reply.body);
    const isSecret = (secret: string | undefined) => secret !== undefined && text.includes(secret);
    const hasSecret = SECRET.test(text) && !DOCUMENTATION.includes(route);
    // Compares booleans. An assertion on the text would print the documentation and take a hundred times as long.
    if (!ISSUING.includes(route)) {
      expect(hasSecret || isSecret(token) || isSecret(cookie?.split('=')[1]), `secret in ${route}`).toBe(
        false,
      );
    }
    return ALLOWED[route.startsWith('GET') ? 'read' : 'write'].includes(status) ? 'allowed' : status;
  }

  async function compare(route: string, named: boolean): Promise<void> {
    const permission = PERMISSIONS[route];
    if (!permission) throw new Error(`${route} is not in the table`);
    const outcomes: [Credential, unknown][] = [];
    const expected: [Credential, unknown][] = [];
    const first = Object.keys(PERMISSIONS).indexOf(route);
    for (const credential of sampleCases(CREDENTIALS, step, first)) {
      if (ENDING.includes(route)) await fixture.renew();
      outcomes.push([credential, await outcomeOf(route, credential, named)]);
      expected.push([credential, expectedOutcome(route, permission, credential, named)]);
    }
    if ([...INVALIDATING, ...ENDING].includes(route)) await fixture.renew();
    expect(Object.fromEntries(outcomes)).toEqual(Object.fromEntries(expected));
  }

  it.each(Object.keys(PERMISSIONS))('%s grants access as the table says', (route) => compare(route, true));

  it.each(WORKSPACE_ROUTES)('%s without a workspace_id acts on the workspaces of the caller', (route) =>
    compare(route, false),
  );

  it.each(CREATING)('%s returns 403 before it validates the body', async (route) => {
    const [method = '', target = ''] = route.split(' ');
    const { token = '' } = await fixture.issue('session of viewer');
    expect(await fixture.world.call(method, target, { token, body: {} })).toMatchObject({ status: 403 });
  });
}
