import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Fixture, type Ids, openFixture } from '../accounts/permission-fixture.ts';
import { expectedOutcome, PERMISSIONS } from '../accounts/permission-matrix.ts';
import { requestFor } from '../accounts/permission-requests.ts';
import type { OpenEngine } from '../support/engine-kinds.ts';

const PROGRAMS = '/api/advertiser/affiliate-programs';
const routes = Object.keys(PERMISSIONS);
const PROGRAM_ROUTES = routes.filter(
  (route) => route.includes(':programId') || route.includes(`${PROGRAMS}/:id`),
);
const ROW_ROUTES = routes.filter((route) =>
  /:(partner|link|customer|policy|commission|payout)Id/.test(route),
);
const OTHERS = ['sibling', 'foreign'] as const;

export function foreignRowsContract(open: OpenEngine): void {
  let fixture: Fixture;

  beforeAll(async () => {
    fixture = await openFixture(open);
  });
  afterAll(() => fixture.world.close());

  const callAs = async (token: string | undefined, method: string, target: string, body?: unknown) =>
    fixture.world.call<{ code?: string; data?: unknown }>(method, target, {
      body,
      ...(token !== undefined && { token }),
    });
  /** Returns the reply without its request id, so that replies can be compared. */
  const replyTo = async (token: string | undefined, method: string, target: string, body?: unknown) => {
    const reply = await callAs(token, method, target, body);
    return { status: reply.status, body: { ...reply.body, request_id: null } };
  };
  const asOwner = (method: string, target: string, body?: unknown) =>
    callAs(fixture.owner.token, method, target, body);
  const request = async (route: string, ids: Ids) => {
    const { target, body } = await requestFor(
      route,
      { ...fixture, ids },
      { named: false, ownKeyId: undefined, ownSessionId: undefined },
    );
    return { method: route.split(' ')[0] ?? '', target, body };
  };
  const stored = async () => {
    const { read } = fixture.world.engine;
    const tables = [
      'partners',
      'partner_programs',
      'links',
      'policies',
      'policy_versions',
      'commissions',
      'payouts',
      'adjustments',
    ] as const;
    // A cluster returns rows in any order.
    return Promise.all(tables.map((table) => read.selectFrom(table).selectAll().orderBy('id').execute()));
  };

  it.each(PROGRAM_ROUTES)('%s checks in the order 401, 404 for an unknown program, 403', async (route) => {
    const { token: outsider } = await fixture.issue('session of outsider');
    for (const program of ['x', '0', '99999999']) {
      const { method, target, body } = await request(route, fixture.ids);
      const unknown = target.replace(/(programs|status|performance|events)\/\d+/, `$1/${program}`);
      expect(unknown).not.toBe(target);
      expect(await callAs(undefined, method, unknown, body)).toMatchObject({ status: 401 });
      for (const token of [fixture.owner.token, outsider]) {
        const notFound = { status: 404, body: { code: 'program_not_found' } };
        expect(await callAs(token, method, unknown, body)).toMatchObject(notFound);
      }
    }
  });

  it.each(PROGRAM_ROUTES)('%s does not show outsiders whether the program exists', async (route) => {
    const permission = PERMISSIONS[route];
    if (!permission) throw new Error(`${route} is not in the table`);
    const { method, target, body } = await request(route, fixture.ids);
    const unknown = target.replace(/(programs|status|performance|events)\/\d+/, '$1/99999999');
    for (const credential of [
      'session of outsider',
      'session of partner',
      'key of another workspace',
      'key limited to another program',
    ] as const) {
      if (expectedOutcome(route, permission, credential) !== 404) continue;
      const { token } = await fixture.issue(credential);
      const reply = await replyTo(token, method, target, body);
      expect(reply).toMatchObject({ status: 404, body: { code: 'program_not_found' } });
      expect(reply).toEqual(await replyTo(token, method, unknown, body));
    }
  });

  it.each(ROW_ROUTES)(
    '%s returns 404 for a row of another program or partner and changes nothing',
    async (route) => {
      const before = await stored();
      const isPortal = route.includes(' /api/partner/');
      const { token } = isPortal ? await fixture.issue('session of partner') : fixture.owner;
      for (const other of OTHERS) {
        const ids = { ...fixture[other], program: fixture.ids.program };
        const { method, target, body } = await request(route, ids);
        expect(await callAs(token, method, target, body)).toMatchObject({
          status: 404,
          body: { code: 'not_found' },
        });
      }
      expect(await stored()).toEqual(before);
    },
  );

  it.each(OTHERS)('links, policies and payouts reject a partner of another program (%s)', async (other) => {
    const before = await stored();
    const path = `${PROGRAMS}/${fixture.ids.program}`;
    const { partner } = fixture[other];
    const policy = { type: 'percent', rate: 5, partner_id: partner };
    expect(await asOwner('POST', `${path}/links`, { partner_id: partner })).toMatchObject({ status: 400 });
    expect(await asOwner('POST', `${path}/commission-policies`, policy)).toMatchObject({ status: 400 });
    expect(await asOwner('POST', `${path}/payouts`, { partner_ids: [partner] })).toMatchObject({
      status: 400,
    });
    for (const list of ['commissions', 'payouts']) {
      expect(await asOwner('GET', `${path}/${list}?partner_id=${partner}`)).toMatchObject({
        status: 200,
        body: { data: [] },
      });
    }
    expect(await stored()).toEqual(before);
  });

  it('returns 404 and changes nothing for keys, members and other rows of another workspace', async () => {
    const { read } = fixture.world.engine;
    const { token: outsider = '' } = await fixture.issue('session of outsider');
    const key = await fixture.addKey({}, outsider);
    const rows = () =>
      Promise.all(
        (['api_keys', 'members', 'notifications', 'processor_connections'] as const).map((t) =>
          read.selectFrom(t).selectAll().execute(),
        ),
      );
    const before = await rows();
    const { member, notification, connection } = fixture.foreign;
    const notFound = { status: 404, body: { code: 'not_found' } };
    for (const [method, target, body] of [
      ['PUT', `api-keys/${key.id}`, { name: 'mine' }],
      ['DELETE', `api-keys/${key.id}`, undefined],
      ['PUT', `members/${member}`, { role: 'viewer' }],
      ['DELETE', `members/${member}`, undefined],
      ['POST', `notifications/${notification}/read`, undefined],
      ['PUT', `processor-connections/${connection}`, { webhook_secret: 'whsec_mine' }],
      ['DELETE', `processor-connections/${connection}`, undefined],
    ] as const) {
      expect(await asOwner(method, `/api/advertiser/${target}`, body)).toMatchObject(notFound);
    }
    expect(await rows()).toEqual(before);
  });

  it('a key cannot change another key of its workspace', async () => {
    const { token = '' } = await fixture.issue('key with *');
    const otherKey = await fixture.addKey();
    const escalation = { status: 403, body: { code: 'scope_escalation' } };
    const path = `/api/advertiser/api-keys/${otherKey.id}`;
    expect(await callAs(token, 'PUT', path, { name: 'mine' })).toMatchObject(escalation);
    expect(await callAs(token, 'DELETE', path)).toMatchObject(escalation);
  });
}
