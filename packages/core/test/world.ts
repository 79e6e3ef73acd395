import { createHash } from 'node:crypto';
import { type Affkit, type AffkitOptions, createAffkit } from '../src/create-affkit.ts';
import type { HttpRequest } from '../src/http/message.ts';
import { createLink } from '../src/management/links.ts';
import { createPartner } from '../src/management/partners.ts';
import { createProgram, type NewProgram } from '../src/management/programs.ts';
import { createWorkspace } from '../src/management/workspaces.ts';
import { isRejection } from '../src/rejection.ts';
import type { Engine } from '../src/storage/engine/engine.ts';
import type { ProgramAccount } from '../src/storage/programs.ts';

/** What a call came back with. */
export interface Reply {
  status: number;
  // The tests look into bodies of every shape.
  body: Record<string, unknown>;
  headers: Readonly<Record<string, string>>;
}

/** A program with two partners on an engine, a clock that stands still, and a caller for the routes. */
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
  /** A click by a code. @returns its click id */
  click(code: string, fields?: Record<string, unknown>): Promise<string>;
  /** A call with the program's token. */
  track(kind: 'lead' | 'sale' | 'refund', body: unknown): Promise<Reply>;
  balances(partnerId?: number): Promise<BalanceView>;
}

export interface BalanceView {
  /** In the program, by currency. */
  program: Record<string, number>;
  /** Over all programs, by currency. */
  partner: Record<string, number>;
}

export const START = Date.UTC(2026, 5, 15, 12);
export const TWENTY_PERCENT = { type: 'percent', rate: 20 } as const;
export const SECRET = 'a-secret-of-at-least-32-characters';

export async function makeWorld(
  engine: Engine,
  settings: Partial<NewProgram> = {},
  options: Partial<AffkitOptions> = {},
): Promise<World> {
  const clock = { now: START };
  const affkit = createAffkit({ engine, secret: SECRET, now: () => clock.now, ...options });
  await affkit.migrate();
  const { runtime } = affkit;
  await affkit.ensureFirstOwner({ email: 'owner@shop.example', password: 'correct horse battery' });
  const owner = await engine.read.selectFrom('users').select('id').executeTakeFirstOrThrow();
  const workspace = await createWorkspace(runtime, { name: 'Shop', ownerId: owner.id });
  const { program, apiToken } = accepted(
    await createProgram(runtime, workspace.id, {
      name: 'Shop program',
      site_url: 'https://shop.example',
      commission: TWENTY_PERCENT,
      ...settings,
    }),
  );
  const anna = await enrol(affkit, program, 'anna');
  const ben = await enrol(affkit, program, 'ben');
  const call = caller(affkit);
  return {
    affkit,
    engine,
    clock,
    workspaceId: workspace.id,
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

/** Another program, with a partner of its own, in the same database. */
export async function addProgram(world: World, workspaceId: number, code: string) {
  const { program, apiToken } = accepted(
    await createProgram(world.affkit.runtime, workspaceId, {
      name: `Program of ${code}`,
      site_url: 'https://other.example',
      commission: TWENTY_PERCENT,
    }),
  );
  const partner = await enrol(world.affkit, program, code);
  const authorization = `Bearer ${apiToken}`;
  return { program, token: apiToken, partner, authorization };
}

export async function enrol(affkit: Affkit, program: ProgramAccount, code: string) {
  const input = { name: code, email: `${code}@partner.example`, code };
  const { partner } = accepted(await createPartner(affkit.runtime, program, input));
  return { partnerId: partner.id, code };
}

export async function addLink(world: World, partnerId: number, code: string): Promise<void> {
  accepted(
    await createLink(world.affkit.runtime, world.program, { partner_id: partnerId, short_link: code }),
  );
}

export function accepted<T>(result: T): Exclude<T, import('../src/rejection.ts').Rejection> {
  if (isRejection(result)) throw new Error(`${result.code}: ${result.message}`);
  // Just ruled out.
  return result as Exclude<T, import('../src/rejection.ts').Rejection>;
}

/** Calls the routes as an adapter would. */
export function caller(affkit: Affkit): World['call'] {
  return async (method, path, body, headers = {}) => {
    const url = new URL(path, 'http://aff.example');
    const bytes = typeof body === 'string' ? body : body === undefined ? '' : JSON.stringify(body);
    const request: HttpRequest = {
      method,
      path: url.pathname,
      query: url.searchParams,
      header: (name) => ({ host: 'aff.example', ...headers })[name],
      body: async (limit) => {
        const encoded = new TextEncoder().encode(bytes);
        return encoded.length > limit ? 'too_large' : encoded;
      },
      ip: '203.0.113.7',
      secure: true,
    };
    const reply = await affkit.handle(request);
    if (!reply) return { status: 404, body: {}, headers: {} };
    return {
      status: reply.status,
      body: (reply.body ?? {}) as Record<string, unknown>,
      headers: reply.headers,
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
  const of = (id: number) =>
    Object.fromEntries(
      rows.filter((row) => row.program_id === id).map((row) => [row.currency, row.balance_cents]),
    );
  return { program: of(programId), partner: of(0) };
}

/** What the books must always say: each balance is the sum of its entries, each total the sum of its events. */
export async function auditBooks(engine: Engine): Promise<string[]> {
  const faults: string[] = [];
  const entries = await engine.read.selectFrom('ledger_entries').selectAll().execute();
  const sums = new Map<string, number>();
  for (const entry of entries) {
    const owner = entry.scope === 'partner' ? 0 : entry.program_id;
    const key = `${owner}:${entry.partner_id}:${entry.currency}`;
    const sign = entry.credit_account === 'partner_payable' ? 1 : -1;
    sums.set(key, (sums.get(key) ?? 0) + sign * entry.amount_cents);
  }
  const balances = await engine.read.selectFrom('balances').selectAll().execute();
  for (const row of balances) {
    const key = `${row.program_id}:${row.partner_id}:${row.currency}`;
    const sum = sums.get(key) ?? 0;
    if (sum !== row.balance_cents)
      faults.push(`balance ${key} is ${row.balance_cents}, its entries say ${sum}`);
    sums.delete(key);
  }
  for (const [key, sum] of sums)
    if (sum !== 0) faults.push(`entries of ${key} say ${sum}, there is no balance`);
  return [...faults, ...(await auditTotals(engine))];
}

async function auditTotals(engine: Engine): Promise<string[]> {
  const { read } = engine;
  const expected = new Map<string, number>();
  const add = (programId: number, partnerId: number | null, at: number, measure: string, value: number) => {
    for (const partner of partnerId === null ? [0] : [0, partnerId]) {
      const key = [programId, partner, Math.floor(at / 86_400_000), measure].join(':');
      expected.set(key, (expected.get(key) ?? 0) + value);
    }
  };
  const partners = await read.selectFrom('partner_programs').selectAll().execute();
  for (const row of partners) add(row.program_id, null, row.created_at, 'partners', 1);
  const clicks = await read.selectFrom('click_events').selectAll().where('is_test', '=', 0).execute();
  for (const row of clicks) add(row.program_id, row.partner_id, row.click_at, 'clicks', 1);
  const customers = await read.selectFrom('customers').selectAll().execute();
  const partnerOf = new Map(customers.map((row) => [row.id, row.partner_id]));
  const leads = await read.selectFrom('lead_events').selectAll().where('is_test', '=', 0).execute();
  for (const row of leads)
    add(row.program_id, partnerOf.get(row.customer_id ?? 0) ?? null, row.lead_at, 'leads', 1);
  for (const row of customers) {
    if (row.signup_at !== null) add(row.program_id, row.partner_id, row.signup_at, 'signups', 1);
    if (row.first_purchase_at !== null) {
      add(row.program_id, row.partner_id, row.first_purchase_at, 'first_purchases', 1);
    }
  }
  const sales = await read.selectFrom('sales').selectAll().where('is_test', '=', 0).execute();
  for (const row of sales) {
    add(row.program_id, row.partner_id, row.sale_at, 'sales', 1);
    add(row.program_id, row.partner_id, row.sale_at, `revenue:${row.currency}`, row.amount_cents);
  }
  const commissions = await read.selectFrom('commissions').selectAll().execute();
  for (const row of commissions) {
    if (row.amount_cents === 0) continue;
    add(row.program_id, row.partner_id, row.commission_at, `commission:${row.currency}`, row.amount_cents);
  }
  const totals = new Map<string, number>();
  for (const row of await read.selectFrom('daily_totals').selectAll().execute()) {
    const key = [row.program_id, row.partner_id, row.day, row.measure].join(':');
    totals.set(key, (totals.get(key) ?? 0) + row.value);
  }
  const keys = new Set([...expected.keys(), ...totals.keys()]);
  return [...keys]
    .filter((key) => expected.get(key) !== totals.get(key))
    .map((key) => `total ${key} is ${totals.get(key)}, the events say ${expected.get(key)}`);
}

/** SHA-256 in hex, as the service keeps tokens and addresses. */
export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
