import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { type Affkit, createAffkit } from '../../src/create-affkit.ts';
import { createPartner } from '../../src/management/partners.ts';
import { createPolicy } from '../../src/management/policies.ts';
import { createProgram } from '../../src/management/programs.ts';
import { createWorkspace } from '../../src/management/workspaces.ts';
import type { Engine } from '../../src/storage/database/engine/engine.ts';
import { auditLedger } from '../support/audit-ledger.ts';
import { createCaller, SECRET, START, unwrap } from '../support/world.ts';

/** A tracking request, or a wait. It refers to rows by index, because their ids differ between engines. */
export type Operation =
  | { kind: 'click'; program: number; code: number; existing: number | null; key: number | null }
  | { kind: 'lead'; program: number; click: number | null; key: number | null; token: boolean }
  | {
      kind: 'sale';
      program: number;
      transaction: number;
      amount: number;
      currency: string | undefined;
      click: number | null;
      key: number | null;
      subscription: number | null;
      product: string | undefined;
      daysAgo: number;
    }
  | { kind: 'refund'; program: number; transaction: number; amount: number | undefined }
  | { kind: 'wait'; days: number };

const small = fc.nat({ max: 3 });
/** An index, or null in a quarter of the cases. */
const optionalIndex = fc.option(small, { nil: null, freq: 4 });
const program = fc.nat({ max: 1 });

/**
 * Random histories of two programs. The indexes have a small range, so that operations often affect the same
 * rows.
 */
export const histories: fc.Arbitrary<Operation[]> = fc.array(
  fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({
        kind: fc.constant('click' as const),
        program,
        code: fc.nat({ max: 2 }),
        existing: optionalIndex,
        key: optionalIndex,
      }),
    },
    {
      weight: 3,
      arbitrary: fc.record({
        kind: fc.constant('lead' as const),
        program,
        click: optionalIndex,
        key: optionalIndex,
        token: fc.boolean(),
      }),
    },
    {
      weight: 5,
      arbitrary: fc.record({
        kind: fc.constant('sale' as const),
        program,
        transaction: small,
        amount: fc.oneof(fc.integer({ min: 1, max: 100_000 }), fc.constantFrom(1, 999_999_999_999)),
        currency: fc.constantFrom(undefined, 'USD', 'EUR', 'JPY'),
        click: optionalIndex,
        key: optionalIndex,
        subscription: fc.option(fc.nat({ max: 1 }), { nil: null }),
        product: fc.constantFrom(undefined, 'pro'),
        daysAgo: fc.constantFrom(0, 0, 1, 89),
      }),
    },
    {
      weight: 3,
      arbitrary: fc.record({
        kind: fc.constant('refund' as const),
        program,
        transaction: small,
        amount: fc.constantFrom(undefined, undefined, 0, 1, 333, 20_000, 100_000),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({ kind: fc.constant('wait' as const), days: fc.constantFrom(1, 31, 61) }),
    },
  ),
  { minLength: 4, maxLength: 24 },
);

/** An Affkit instance with a clock and a random generator that behave the same on each engine. */
export interface Replica {
  readonly affkit: Affkit;
  readonly engine: Engine;
  readonly clock: { now: number };
  readonly random: { seed: string; drawn: number };
}

export async function makeReplica(engine: Engine): Promise<Replica> {
  const clock = { now: START };
  const random = { seed: '', drawn: 0 };
  const randomBytes = (count: number) => {
    const parts: Buffer[] = [];
    for (let length = 0; length < count; length += 32) {
      parts.push(
        createHash('sha256')
          .update(`${random.seed}:${random.drawn++}`)
          .digest(),
      );
    }
    return Buffer.concat(parts).subarray(0, count);
  };
  const affkit = createAffkit({ engine, secret: SECRET, now: () => clock.now, randomBytes });
  await affkit.migrate();
  await affkit.ensureFirstOwner({ email: 'owner@shop.example', password: 'correct horse battery' });
  return { affkit, engine, clock, random };
}

/** Runs a history in a new workspace. @returns all responses, balances and totals, without database ids */
export async function play(replica: Replica, run: string, history: readonly Operation[]): Promise<unknown[]> {
  const { affkit, engine, clock, random } = replica;
  Object.assign(random, { seed: run, drawn: 0 });
  clock.now = START;
  const owner = await engine.read.selectFrom('users').select('id').executeTakeFirstOrThrow();
  const workspace = await createWorkspace(affkit.runtime, { name: run, ownerId: owner.id });
  const programs = [await prepare(affkit, workspace.id, run, 0), await prepare(affkit, workspace.id, run, 1)];
  const call = createCaller(affkit);
  const past: Past = { clicks: [[], []], sales: [[], []] };
  const names = new StableNames();
  const log: unknown[] = [];
  const firstClicks = [0, 1, 0, 1].map((program, code) => ({
    kind: 'click' as const,
    program,
    code: code % 3,
    existing: null,
    key: null,
  }));
  for (const operation of [...firstClicks, ...history]) {
    if (operation.kind === 'wait') {
      clock.now += operation.days * 86_400_000;
      continue;
    }
    const target = programs[operation.program];
    if (!target) throw new Error('No such program');
    const request = toRequest(operation, run, past, clock.now);
    const isPublic = operation.kind === 'click' || (operation.kind === 'lead' && !operation.token);
    const headers: Record<string, string> = isPublic ? {} : { authorization: `Bearer ${target.token}` };
    const reply = await call('POST', `/api/v1/track/${operation.kind}`, request, headers);
    if (typeof reply.body['click_id'] === 'string')
      past.clicks[operation.program]?.push(reply.body['click_id']);
    if (typeof reply.body['sale_id'] === 'number')
      past.sales[operation.program]?.push(String(request['transaction_id']));
    log.push([reply.status, names.replace(reply.body)], await listBalances(engine, programs, names));
  }
  const programIds = programs.map((item) => item.id);
  log.push(await auditLedger(engine, programIds), await listTotals(engine, programIds, names));
  return log;
}

async function prepare(affkit: Affkit, workspaceId: number, run: string, index: number) {
  const { runtime } = affkit;
  const { program: account, apiToken } = unwrap(
    await createProgram(runtime, workspaceId, {
      name: `${run} ${index}`,
      site_url: 'https://shop.example',
      commission: index === 0 ? { type: 'percent', rate: 12.5 } : { type: 'flat', amount_cents: 700 },
      attribution_model: index === 0 ? 'last_click' : 'first_click',
      hold_days: index,
    }),
  );
  for (const code of [0, 1, 2]) {
    const email = `p${code}@partner.example`;
    unwrap(
      await createPartner(
        runtime,
        account,
        {
          name: `Partner ${code}`,
          email,
          code: `${run}-${index}-${code}`,
        },
        null,
      ),
    );
  }
  unwrap(
    await createPolicy(runtime, account, {
      type: 'percent',
      rate: 33.33,
      product_id: 'pro',
      recurring_months: 1,
    }),
  );
  return { id: account.id, token: apiToken };
}

/** Ids of earlier operations in the history. Later operations may refer to them. */
interface Past {
  readonly clicks: readonly string[][];
  readonly sales: readonly string[][];
}

function toRequest(
  operation: Exclude<Operation, { kind: 'wait' }>,
  run: string,
  past: Past,
  now: number,
): Record<string, unknown> {
  // Indexes refer to the program of the operation, except index 3, which refers to the other program.
  const clickAt = (index: number | null) => {
    if (index === null) return null;
    const known = past.clicks[index === 3 ? 1 - operation.program : operation.program] ?? [];
    return known[index % Math.max(1, known.length)] ?? 'clk_unknown';
  };
  const saleAt = (index: number) => {
    const known = past.sales[index === 3 ? 1 - operation.program : operation.program] ?? [];
    return known[index % Math.max(1, known.length)] ?? 'unknown';
  };
  const keyOf = (index: number | null) => (index === null ? null : `user-${index}`);
  switch (operation.kind) {
    case 'click':
      return {
        affiliate_url: `https://shop.example/?aff=${run}-${operation.program}-${operation.code}`,
        existing_click_id: clickAt(operation.existing),
        additional_data: operation.key === null ? null : { idempotency_key: `k${operation.key}` },
      };
    case 'lead':
      return { click_id: clickAt(operation.click), customer_key: keyOf(operation.key) };
    case 'sale':
      return {
        transaction_id: `${run}-${operation.transaction}`,
        amount_cents: operation.amount,
        currency: operation.currency,
        click_id: clickAt(operation.click),
        customer_key: keyOf(operation.key),
        subscription_id: operation.subscription === null ? null : `sub-${operation.subscription}`,
        product_id: operation.product,
        occurred_at: new Date(now - operation.daysAgo * 86_400_000).toISOString(),
      };
    case 'refund':
      return { transaction_id: saleAt(operation.transaction), refund_amount_cents: operation.amount };
  }
}

/** Replaces database ids with names, numbered in the order of their first appearance. */
class StableNames {
  readonly #names = new Map<string, string>();

  of(kind: string, id: unknown): unknown {
    if (id === null || id === undefined) return id;
    const key = `${kind}:${String(id)}`;
    const name = this.#names.get(key) ?? `${kind}#${this.#names.size}`;
    this.#names.set(key, name);
    return name;
  }

  replace(body: Record<string, unknown>): Record<string, unknown> {
    const { request_id: _unique, ...rest } = body;
    for (const field of ['sale_id', 'commission_id', 'click_id']) {
      if (field in rest) rest[field] = this.of(field, rest[field]);
    }
    return rest;
  }
}

async function listBalances(
  engine: Engine,
  programs: readonly { id: number }[],
  names: StableNames,
): Promise<unknown> {
  const ids = programs.map((item) => item.id);
  const partners = await engine.read
    .selectFrom('partner_programs')
    .select('partner_id')
    .distinct()
    .where('program_id', 'in', ids)
    .orderBy('partner_id')
    .execute();
  const rows = await engine.read
    .selectFrom('balances')
    .selectAll()
    .where('program_id', 'in', [0, ...ids])
    .where(
      'partner_id',
      'in',
      partners.map((row) => row.partner_id),
    )
    .orderBy('program_id')
    .orderBy('partner_id')
    .orderBy('currency')
    .execute();
  return rows.map((row) => [
    row.program_id === 0 ? 0 : names.of('program', row.program_id),
    names.of('partner', row.partner_id),
    row.currency,
    row.balance_cents,
  ]);
}

async function listTotals(
  engine: Engine,
  programIds: readonly number[],
  names: StableNames,
): Promise<unknown> {
  const rows = await engine.read
    .selectFrom('daily_totals')
    .select(['program_id', 'partner_id', 'day', 'measure'])
    .select((select) => select.fn.sum<number>('value').as('value'))
    .where('program_id', 'in', programIds)
    .groupBy(['program_id', 'partner_id', 'day', 'measure'])
    .orderBy('program_id')
    .orderBy('partner_id')
    .orderBy('day')
    .orderBy('measure')
    .execute();
  return rows
    .map((row) =>
      [
        names.of('program', row.program_id),
        row.partner_id === 0 ? 0 : names.of('partner', row.partner_id),
        row.day,
        row.measure,
        Number(row.value),
      ].join(' '),
    )
    .sort();
}
