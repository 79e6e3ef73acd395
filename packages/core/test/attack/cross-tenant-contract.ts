import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { OpenEngine } from '../support/engine-kinds.ts';
import { openWorld, type World } from '../support/management-world.ts';
import { byDepth, sampleCases } from '../support/test-depth.ts';
import { fieldValues } from './field-values.ts';
import { foreignValue, type Position, pathWith, positionsOf } from './foreign-ids.ts';
import { findForeignData, findForeignIds, findInternals } from './leaks.ts';
import { type Api, listOperations, type Operation } from './operations.ts';
import { SchemaValues } from './schema-values.ts';
import type { Caller, Tenant } from './tenant.ts';
import { changedTables, digestRows } from './tenant-rows.ts';
import { addTenant } from './tenants.ts';

/** Expected statuses of a request with a row of another tenant. */
const REJECTED = [401, 403, 404];
/** A foreign id in a body may also be reported as an invalid field. */
const REJECTED_FIELD = [400, ...REJECTED];
/**
 * Statuses of requests that may succeed, because they do not affect the other tenant. A filter by a foreign id
 * may return an empty list. A text id of another tenant may be accepted as a new id of the caller's tenant.
 */
const NO_EFFECT = [200, 201, 409, ...REJECTED_FIELD];
const FILTERS = [
  'program_id',
  'partner_id',
  'transaction_id',
  'click_id',
  'customer_key',
  'commission_id',
  'payout_id',
  'link_id',
];
const REJECTED_ID_FIELDS = [
  'workspace_id',
  'partner_id',
  'partner_ids',
  'excluded_partner_ids',
  'program_scope',
];

const ACCEPTED_CALLERS = [
  'session of owner',
  'session of partner',
  'cookie of owner',
  'cookie of partner',
  'token of program 1',
  'token of program 2',
];
/** This table is not compared, because a rejected call adds a row for the program that the call names. */
const REFUSALS: ReadonlySet<string> = new Set(['refusals']);
/** The number of operations after which the rows of the other tenant are compared. */
const COMPARED_AFTER = byDepth({ short: 25, long: 1 });
/** Operations that end the sessions of the callers, or delete rows that later requests need. */
const ENDS_SESSIONS = /^DELETE|\/api\/auth\/(?:login|logout|password|password-reset\/confirm|accept-invite)$/;

/** Returns the headers of a caller. If there is a cookie, adds the origin of the service's own pages. */
function credentialsOf({ authorization, cookie }: Caller) {
  return {
    ...(authorization !== undefined && { authorization }),
    ...(cookie !== undefined && { cookie, origin: 'https://affkit.test' }),
  };
}

/**
 * Replaces one id at a time in the requests of a tenant with an id of another tenant. Sends each of these requests with
 * each credential. The positions of ids are derived from the routes, so a new route is tested without a change here.
 */
export function crossTenantContract(open: OpenEngine): void {
  let world: World;
  let api: Api;
  let own: Tenant;
  let foreign: Tenant;

  beforeAll(async () => {
    world = await openWorld(open);
    own = await addTenant(world);
    foreign = await addTenant(world);
    api = listOperations(world.affkit.runtime);
  });
  afterAll(() => world.close());

  function expectedStatuses({ part, name }: Position, operation: Operation): readonly number[] {
    // Requests to a webhook route need a valid signature instead of a credential. These requests have none, so they are
    // rejected with 400.
    if (part === 'path') return operation.isWebhook ? [400] : REJECTED;
    if (part === 'query') return FILTERS.includes(name) ? NO_EFFECT : REJECTED;
    if (part === 'body' && REJECTED_ID_FIELDS.includes(name)) return REJECTED_FIELD;
    return NO_EFFECT;
  }

  /**
   * Returns a request with ids of the caller's own tenant. Only the id at `position`, if given, belongs to the
   * other tenant.
   */
  function requestWith(operation: Operation, position: Position | undefined) {
    const scene = { own, foreign: own, now: world.clock.now };
    const fields = { ...fieldValues(scene), test_mode: fc.constant(false) };
    const values = new SchemaValues(api.schemas, fields);
    const [body] = operation.body ? fc.sample(values.of(operation.body), { numRuns: 1, seed: 1 }) : [{}];
    const { part, name = '' } = position ?? {};
    const value = foreignValue(name, foreign);
    const path = pathWith(operation, own, foreign, position?.parameters);
    const search = part === 'query' ? `?${name}=${encodeURIComponent(String(value))}` : '';
    const data = part === 'data' ? { additional_data: { [name]: value } } : {};
    return {
      target: path + search,
      body:
        operation.method === 'GET'
          ? undefined
          : { ...Object(body), ...data, ...(part === 'body' && { [name]: value }) },
    };
  }

  async function faultsOf(operation: Operation, position: Position, caller: Caller): Promise<string[]> {
    const { target, body } = requestWith(operation, position);
    const options = { body, ...credentialsOf(caller) };
    const reply = await world.call(operation.method, target, options);
    const text = JSON.stringify(reply.body);
    const sentText = `${target} ${JSON.stringify(body)}`;
    const expected = expectedStatuses(position, operation);
    return [
      ...(expected.includes(reply.status) ? [] : [`The status is ${reply.status}: ${text.slice(0, 300)}`]),
      ...findInternals(text),
      ...findForeignData(text, sentText, caller.tenant, [foreign]),
      ...findForeignIds(reply.body, '', [foreign]),
    ].map(
      (fault) =>
        `${caller.name}: ${operation.method} ${target} (${position.part} ${position.name}): ${fault}`,
    );
  }

  it('ids of another tenant are rejected and change no row of that tenant', async () => {
    const faults: string[] = [];
    let count = 0;
    const callers = sampleCases(own.callers, 14);
    const before = await digestRows(world.engine, foreign, REFUSALS);
    for (const [index, operation] of api.operations.entries()) {
      for (const position of positionsOf(api, operation)) {
        for (const caller of callers) faults.push(...(await faultsOf(operation, position, caller)));
        count += callers.length;
      }
      const isLast = index === api.operations.length - 1;
      if (!isLast && index % COMPARED_AFTER !== 0) continue;
      const changed = changedTables(before, await digestRows(world.engine, foreign, REFUSALS));
      if (changed.length > 0) faults.push(`after ${operation.key}, ${changed.join(', ')} have changed`);
    }
    expect(faults).toEqual([]);
    expect(count).toBeGreaterThan(callers.length * 60);
  });

  it('the same requests are accepted with ids that belong to the tenant of the caller', async () => {
    const callers = own.callers.filter(({ name }) => ACCEPTED_CALLERS.includes(name));
    const rejected: string[] = [];
    for (const operation of api.operations) {
      if (operation.isWebhook || ENDS_SESSIONS.test(operation.key)) continue;
      const { target, body } = requestWith(operation, undefined);
      const statuses: number[] = [];
      for (const caller of callers) {
        const options = { body, ...credentialsOf(caller) };
        statuses.push((await world.call(operation.method, target, options)).status);
      }
      if (statuses.every((status) => REJECTED.includes(status)))
        rejected.push(`${operation.key}: ${statuses}`);
    }
    expect(rejected).toEqual([]);
  });
}
