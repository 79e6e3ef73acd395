import { createHash } from 'node:crypto';
import { type Affkit, createAffkit } from '../../src/create-affkit.ts';
import type { HttpRequest } from '../../src/http/message.ts';
import { createLink } from '../../src/management/links.ts';
import { createPartnerIn } from '../../src/management/partners.ts';
import { createProgram, type NewProgram } from '../../src/management/programs.ts';
import { createWorkspace } from '../../src/management/workspaces.ts';
import type { AffkitOptions } from '../../src/options.ts';
import { isRejection } from '../../src/rejection.ts';
import { insertUser, SERVICE_LANE } from '../../src/storage/accounts/users.ts';
import { insertWorkspace } from '../../src/storage/accounts/workspaces.ts';
import type { Engine } from '../../src/storage/database/engine/engine.ts';
import { transactOrReject } from '../../src/storage/database/transact-or-reject.ts';
import type { ProgramAccount } from '../../src/storage/programs/programs.ts';
import type { LeadRequest } from '../../src/tracking/lead.ts';
import { withCookies } from './management-world.ts';
import { handleChecked } from './openapi-validator.ts';
import { createOrRestore } from './recycled-engine.ts';
import { SILENT } from './silent-logger.ts';
import { cachedPasswordHash, createSession } from './users.ts';

/** The response to a request. */
export interface Reply {
  status: number;
  // Each test reads the fields that it expects, so this type describes no particular body.
  body: Record<string, unknown>;
  headers: Readonly<Record<string, string>>;
}

/**
 * An Affkit instance with a program and two partners, a clock that only the test changes, and request
 * helpers.
 */
export interface World {
  readonly affkit: Affkit;
  readonly engine: Engine;
  readonly clock: { now: number };
  readonly workspaceId: number;
  readonly program: ProgramAccount;
  readonly token: string;
  readonly anna: { readonly partnerId: number; readonly code: string };
  readonly ben: { readonly partnerId: number; readonly code: string };
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Reply>;
  /** Records a click on the link `code`. @returns the click id */
  click(code: string, fields?: Record<string, unknown>): Promise<string>;
  /** Sends a tracking request with the program's token. */
  track(kind: 'lead' | 'sale' | 'refund', body: unknown): Promise<Reply>;
  /** @param partnerId the partner whose balances are returned. @default Anna */
  balances(partnerId?: number): Promise<BalanceView>;
}

interface BalanceView {
  /** Balances in the program, by currency. */
  program: Record<string, number>;
  /** Balances over all programs, by currency. */
  partner: Record<string, number>;
}

export const START = Date.UTC(2026, 5, 15, 12);
/** The owner of the world's workspace. */
const OWNER = { email: 'owner@shop.example', password: 'correct horse battery' } as const;
const TWENTY_PERCENT = { type: 'percent', rate: 20 } as const;
export const SECRET = 'a-secret-of-at-least-32-characters';

export async function makeWorld(
  engine: Engine,
  settings: Partial<NewProgram> = {},
  options: Partial<AffkitOptions> = {},
): Promise<World> {
  const clock = { now: START };
  const affkit = createAffkit({ engine, secret: SECRET, now: () => clock.now, logger: SILENT, ...options });
  await affkit.migrate();
  const { workspaceId, program, apiToken, anna, ben } = await createOrRestore(
    engine,
    JSON.stringify([settings, simpleValues(options), affkit.runtime.now()]),
    () => createRows(affkit, settings),
  );
  const call = createCaller(affkit);
  return {
    affkit,
    engine,
    clock,
    workspaceId,
    program,
    token: apiToken,
    anna,
    ben,
    call,
    click: async (code, fields) => {
      const reply = await call('POST', '/api/v1/track/click', {
        affiliate_url: `https://shop.example/?aff=${code}`,
        ...fields,
      });
      if (typeof reply.body['click_id'] !== 'string') throw new Error(JSON.stringify(reply.body));
      return reply.body['click_id'];
    },
    track: (kind, body) =>
      call('POST', `/api/v1/track/${kind}`, body, { authorization: `Bearer ${apiToken}` }),
    balances: (partnerId = anna.partnerId) => readBalances(engine, program.id, partnerId),
  };
}

/** Creates an owner, a program, and two partners. */
async function createRows(affkit: Affkit, settings: Partial<NewProgram>) {
  const { runtime } = affkit;
  const at = runtime.now();
  const passwordHash = await cachedPasswordHash(OWNER.password);
  const ownerId = await runtime.engine.write(SERVICE_LANE, async (tx) => {
    const id = await insertUser(tx, { email: OWNER.email, name: 'owner', passwordHash, at });
    // The extra workspace makes the ids of the program and its workspace differ.
    await insertWorkspace(tx, { name: 'My workspace', ownerId: id, at });
    return id;
  });
  const workspace = await createWorkspace(runtime, { name: 'Shop', ownerId });
  const { program, apiToken } = unwrap(
    await createProgram(runtime, workspace.id, {
      name: 'Shop program',
      site_url: 'https://shop.example',
      commission: TWENTY_PERCENT,
      ...settings,
    }),
  );
  const [anna, ben] = await Promise.all([enroll(affkit, program, 'anna'), enroll(affkit, program, 'ben')]);
  return { workspaceId: workspace.id, program, apiToken, anna, ben };
}

/** Replaces values that cannot be compared, such as a mailer, by `true`. */
function simpleValues(options: object): Record<string, unknown> {
  const isSimple = (value: unknown) => value === null || !['object', 'function'].includes(typeof value);
  return Object.fromEntries(
    Object.entries(options).map(([name, value]) => [name, isSimple(value) ? value : true]),
  );
}

/** Creates another program with its own partner in the same database. */
export async function addProgram(world: World, workspaceId: number, code: string) {
  const { program, apiToken } = unwrap(
    await createProgram(world.affkit.runtime, workspaceId, {
      name: `Program of ${code}`,
      site_url: 'https://other.example',
      commission: TWENTY_PERCENT,
    }),
  );
  const partner = await enroll(world.affkit, program, code);
  const authorization = `Bearer ${apiToken}`;
  return { program, token: apiToken, partner, authorization };
}

/** Creates another workspace that shares a write lane with the world's workspace. @returns its id */
export async function addWorkspaceInSameLane({ affkit, engine, workspaceId }: World): Promise<number> {
  for (;;) {
    const { id } = await createWorkspace(affkit.runtime, { name: 'Other', ownerId: 1 });
    if (id % engine.lanes === workspaceId % engine.lanes) return id;
  }
}

/** Does the work of `createPartner`, except that it does not read the new partner's figures and links. */
export async function enroll({ runtime }: Affkit, program: ProgramAccount, code: string) {
  const input = { name: code, email: `${code}@partner.example`, code };
  const partner = await transactOrReject(runtime.engine, program.workspaceId, (tx) =>
    createPartnerIn(tx, runtime, program, input, null),
  );
  return { partnerId: unwrap(partner).id, code };
}

export async function addLink(world: World, partnerId: number, code: string): Promise<void> {
  unwrap(await createLink(world.affkit.runtime, world.program, { partner_id: partnerId, short_link: code }));
}

/** Returns the result. @throws when it is a rejection */
export function unwrap<T>(result: T): Exclude<T, import('../../src/rejection.ts').Rejection> {
  if (isRejection(result)) throw new Error(`${result.code}: ${result.message}`);
  // The cast is safe because the check above excludes rejections.
  return result as Exclude<T, import('../../src/rejection.ts').Rejection>;
}

/** Returns a function that sends requests to the routes, as an adapter would. */
export function createCaller(affkit: Affkit): World['call'] {
  return async (method, path, body, headers = {}) => {
    const url = new URL(path, 'http://aff.example');
    const text = typeof body === 'string' ? body : body === undefined ? '' : JSON.stringify(body);
    const bytes = new TextEncoder().encode(text);
    const allHeaders: Record<string, string> = {
      host: 'aff.example',
      'content-length': String(bytes.length),
      ...headers,
    };
    const request: HttpRequest = {
      method,
      path: url.pathname,
      query: url.searchParams,
      header: (name) => allHeaders[name],
      body: async (limit) => (bytes.length > limit ? 'too_large' : bytes),
      ip: '203.0.113.7',
      secure: true,
    };
    const reply = await handleChecked(affkit, request, text);
    if (!reply) return { status: 404, body: {}, headers: {} };
    return {
      status: reply.status,
      body: (reply.body ?? {}) as Record<string, unknown>,
      headers: withCookies(reply).headers,
    };
  };
}

async function readBalances(engine: Engine, programId: number, partnerId: number): Promise<BalanceView> {
  const rows = await engine.read
    .selectFrom('balances')
    .selectAll()
    .where('partner_id', '=', partnerId)
    .where('program_id', 'in', [0, programId])
    .execute();
  const balancesIn = (id: number) =>
    Object.fromEntries(
      rows.filter((row) => row.program_id === id).map((row) => [row.currency, row.balance_cents]),
    );
  return { program: balancesIn(programId), partner: balancesIn(0) };
}

/** Returns the SHA-256 hash in hexadecimal, the form in which tokens and email addresses are stored. */
export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** Creates a session for the owner. @returns its header */
export async function signInOwner(world: World): Promise<{ authorization: string }> {
  const { affkit, engine } = world;
  const { id } = await engine.read.selectFrom('users').select('id').orderBy('id').executeTakeFirstOrThrow();
  const { token } = await createSession(affkit.runtime, id);
  return { authorization: `Bearer ${token}` };
}

/** Returns the reporter of a lead: the shop's server, or a browser on a page of the shop. */
export function createReporter(mode: LeadRequest['reporter']['mode']): LeadRequest['reporter'] {
  return mode === 'server' ? { mode } : { mode, origin: 'https://shop.example', ownHost: undefined };
}
