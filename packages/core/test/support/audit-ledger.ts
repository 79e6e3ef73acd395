import type { Selectable } from 'kysely';
import { expect } from 'vitest';
import { computeOpenCents } from '../../src/domain/refund.ts';
import { checkTotals } from '../../src/reporting/totals.ts';
import { verifyLedger } from '../../src/reporting/verify-ledger.ts';
import type { Engine } from '../../src/storage/database/engine/engine.ts';
import type { Schema } from '../../src/storage/database/schema.ts';
import type { World } from './world.ts';

/**
 * Checks balances and totals, then closes the world. Call it at the end of each test that may move money.
 * @param programIds see `auditLedger`. Required if a test writes rows that the product never writes
 */
export async function auditAndClose(
  world: Pick<World, 'affkit' | 'engine'>,
  programIds?: readonly number[],
): Promise<void> {
  expect(await auditLedger(world.engine, programIds)).toEqual([]);
  await world.affkit.close();
}

/**
 * Checks that each balance equals the sum of its ledger entries, and each daily total the sum of its events.
 * @param programIds programs to check. If given, `runChecks` is skipped, because it verifies the ledger of all
 * programs. @default all
 * @returns a description of each difference
 */
export async function auditLedger(engine: Engine, programIds?: readonly number[]): Promise<string[]> {
  const faults: string[] = [];
  const ids = programIds ?? (await allPrograms(engine));
  const entries = await ofPrograms(engine, 'ledger_entries', ids);
  // On a cluster, the entries are read in any order. A partial sum may then exceed the largest integer that a number
  // can represent exactly.
  const sums = new Map<string, bigint>();
  for (const entry of entries) {
    const owner = entry.scope === 'partner' ? 0 : entry.program_id;
    const key = `${owner}:${entry.partner_id}:${entry.currency}`;
    const isLiability = (account: string) =>
      ['partner_payable', 'payout_clearing'].includes(account) ? 1 : 0;
    const sign = isLiability(entry.credit_account) - isLiability(entry.debit_account);
    sums.set(key, (sums.get(key) ?? 0n) + BigInt(sign * entry.amount_cents));
  }
  const partnerIds = [0, ...entries.map((entry) => entry.partner_id)];
  const balances = await engine.read
    .selectFrom('balances')
    .selectAll()
    .where((where) =>
      where.or([
        where('program_id', 'in', [-1, ...ids]),
        where.and([where('program_id', '=', 0), where('partner_id', 'in', partnerIds)]),
      ]),
    )
    .execute();
  for (const row of balances) {
    const key = `${row.program_id}:${row.partner_id}:${row.currency}`;
    const sum = sums.get(key) ?? 0n;
    if (sum !== BigInt(row.balance_cents))
      faults.push(`balance ${key} is ${row.balance_cents}, but its entries add up to ${sum}`);
    sums.delete(key);
  }
  for (const [key, sum] of sums)
    if (sum !== 0n) faults.push(`entries of ${key} add up to ${sum}, but the balance row is missing`);
  faults.push(...auditClearing(entries, await ofPrograms(engine, 'payouts', ids)));
  const commissions = await ofPrograms(engine, 'commissions', ids);
  faults.push(...auditCommissions(entries, commissions));
  faults.push(...auditCommissionTotals(await ofPrograms(engine, 'commission_totals', ids), commissions));
  faults.push(...auditHeldTotals(await ofPrograms(engine, 'held_totals', ids), commissions));
  faults.push(...(await auditTotals(engine, ids)));
  return programIds ? faults : [...faults, ...(await runChecks(engine, ids))];
}

/** Runs the checks of the commands `ledger verify` and `totals check`. */
async function runChecks(engine: Engine, programIds: readonly number[]): Promise<string[]> {
  const { fault } = await verifyLedger({ engine }, null);
  const faults = fault === null ? [] : [`ledger verify: ${fault}`];
  for (const id of programIds) {
    const drifts = await checkTotals({ engine }, id);
    faults.push(...drifts.map((drift) => `totals check: ${JSON.stringify(drift)}`));
  }
  return faults;
}

type Entry = Selectable<Schema['ledger_entries']>;

/** Checks that the clearing account holds exactly the amounts of pending payouts. */
function auditClearing(
  entries: readonly Entry[],
  payouts: readonly Selectable<Schema['payouts']>[],
): string[] {
  const scopes = ['partner_program', 'partner'];
  const cleared = new Sums();
  for (const { scope, program_id, partner_id, currency, ...entry } of entries) {
    const key = [scope, program_id, partner_id, currency];
    cleared.add(key, changeOf(entry, 'payout_clearing'));
  }
  const pending = new Sums();
  for (const { program_id, partner_id, currency, status, amount_cents } of payouts) {
    if (status !== 'pending') continue;
    for (const scope of scopes) pending.add([scope, program_id, partner_id, currency], amount_cents);
  }
  return cleared.differences(pending, 'clearing');
}

/**
 * Checks that the open amount of each commission equals the sum of its ledger entries. Entries of the kinds `clamp` and
 * `payout` are left out, because they do not change the open amount.
 */
function auditCommissions(
  entries: readonly Entry[],
  commissions: readonly Selectable<Schema['commissions']>[],
): string[] {
  const posted = new Sums();
  for (const entry of entries) {
    if (entry.commission_id === null || ['clamp', 'payout'].includes(entry.kind)) continue;
    posted.add([entry.scope, entry.program_id, entry.commission_id], changeOf(entry, 'partner_payable'));
  }
  const open = new Sums();
  for (const row of commissions) {
    const cents = row.rejected_at === null ? computeOpenCents(row) : 0;
    for (const scope of ['partner_program', 'partner']) open.add([scope, row.program_id, row.id], cents);
  }
  return posted.differences(open, 'open cents of commission');
}

/**
 * Checks that the stored commission totals equal the sums of the commissions, for each partner and for the
 * program.
 */
function auditCommissionTotals(
  totals: readonly Selectable<Schema['commission_totals']>[],
  commissions: readonly Selectable<Schema['commissions']>[],
): string[] {
  const recorded = new Sums();
  const counted = new Sums();
  type Counted = Omit<Selectable<Schema['commission_totals']>, 'partner_id' | 'day'>;
  const add = (sums: Sums, row: Counted, partnerId: number, day: number) => {
    const key = [row.program_id, partnerId, day, row.status, row.currency];
    for (const name of ['commissions', 'amount_cents', 'deducted_cents', 'adjusted_cents'] as const)
      sums.add([...key, name], row[name]);
  };
  for (const row of totals) add(recorded, row, row.partner_id, row.day);
  for (const row of commissions) {
    const day = Math.floor(row.commission_at / 86_400_000);
    for (const partnerId of [0, row.partner_id]) add(counted, { ...row, commissions: 1 }, partnerId, day);
  }
  return recorded.differences(counted, 'commission total');
}

/** Checks that the stored amounts on hold equal the sums of the commissions on hold. */
function auditHeldTotals(
  totals: readonly Selectable<Schema['held_totals']>[],
  commissions: readonly Selectable<Schema['commissions']>[],
): string[] {
  const recorded = new Sums();
  const counted = new Sums();
  for (const row of totals)
    recorded.add([row.program_id, row.partner_id, row.release_day, row.currency], row.cents);
  for (const row of commissions) {
    const isDecided = [row.payout_id, row.rejected_at, row.paid_at, row.approved_at].some(
      (value) => value !== null,
    );
    if (isDecided || row.disputed === 1) continue;
    const day = row.needs_approval === 1 ? 2_147_483_647 : Math.floor(row.releasable_at / 86_400_000);
    counted.add(
      [row.program_id, row.partner_id, day, row.currency],
      row.amount_cents - row.deducted_cents + row.adjusted_cents,
    );
  }
  return recorded.differences(counted, 'held total');
}

/** Returns by how much an entry changes `account`: positive for a credit, negative for a debit. */
function changeOf(
  entry: Pick<Entry, 'debit_account' | 'credit_account' | 'amount_cents'>,
  account: string,
): number {
  if (entry.credit_account === account) return entry.amount_cents;
  return entry.debit_account === account ? -entry.amount_cents : 0;
}

class Sums {
  readonly #cents = new Map<string, number>();

  add(key: readonly unknown[], cents: number): void {
    const name = key.join(':');
    this.#cents.set(name, (this.#cents.get(name) ?? 0) + cents);
  }

  differences(expected: Sums, what: string): string[] {
    const names = new Set([...this.#cents.keys(), ...expected.#cents.keys()]);
    return [...names].flatMap((name) => {
      const [fromEntries, fromRows] = [this.#cents.get(name) ?? 0, expected.#cents.get(name) ?? 0];
      return fromEntries === fromRows
        ? []
        : [`${what} ${name}: ${fromEntries} by the entries, ${fromRows} by the rows`];
    });
  }
}

async function auditTotals(engine: Engine, programIds: readonly number[]): Promise<string[]> {
  const expected = new Map<string, number>();
  const add = (programId: number, partnerId: number | null, at: number, measure: string, value: number) => {
    const hour = ['clicks', 'leads', 'sales'].includes(measure) ? [-1 - new Date(at).getUTCHours()] : [];
    for (const partner of [0, ...hour, ...(partnerId === null ? [] : [partnerId])]) {
      const key = [programId, partner, Math.floor(at / 86_400_000), measure].join(':');
      expected.set(key, (expected.get(key) ?? 0) + value);
    }
  };
  const partners = await ofPrograms(engine, 'partner_programs', programIds);
  for (const row of partners) add(row.program_id, null, row.created_at, 'partners', 1);
  const clicks = excludeTests(await ofPrograms(engine, 'click_events', programIds));
  for (const row of clicks) add(row.program_id, row.partner_id, row.click_at, 'clicks', 1);
  const customers = await ofPrograms(engine, 'customers', programIds);
  const partnerOf = new Map(customers.map((row) => [row.id, row.partner_id]));
  const leads = excludeTests(await ofPrograms(engine, 'lead_events', programIds));
  for (const row of leads)
    add(row.program_id, partnerOf.get(row.customer_id ?? 0) ?? null, row.lead_at, 'leads', 1);
  for (const row of customers) {
    if (row.signup_at !== null) add(row.program_id, row.partner_id, row.signup_at, 'signups', 1);
    if (row.first_purchase_at !== null) {
      add(row.program_id, row.partner_id, row.first_purchase_at, 'first_purchases', 1);
    }
  }
  const sales = excludeTests(await ofPrograms(engine, 'sales', programIds));
  for (const row of sales) {
    add(row.program_id, row.partner_id, row.sale_at, 'sales', 1);
    if (row.amount_cents === 0) continue;
    add(row.program_id, row.partner_id, row.sale_at, `revenue:${row.currency}`, row.amount_cents);
  }
  const commissions = await ofPrograms(engine, 'commissions', programIds);
  for (const row of commissions) {
    if (row.amount_cents === 0) continue;
    add(row.program_id, row.partner_id, row.commission_at, `commission:${row.currency}`, row.amount_cents);
  }
  const totals = new Map<string, number>();
  for (const row of await ofPrograms(engine, 'daily_totals', programIds)) {
    const key = [row.program_id, row.partner_id, row.day, row.measure].join(':');
    totals.set(key, (totals.get(key) ?? 0) + row.value);
  }
  const keys = new Set([...expected.keys(), ...totals.keys()]);
  return [...keys]
    .filter((key) => expected.get(key) !== totals.get(key))
    .map((key) => `total ${key} is ${totals.get(key)}, expected ${expected.get(key)}`);
}

async function allPrograms(engine: Engine): Promise<number[]> {
  return (await engine.read.selectFrom('programs').select('id').execute()).map((row) => row.id);
}

type AuditedTable =
  | 'ledger_entries'
  | 'partner_programs'
  | 'click_events'
  | 'customers'
  | 'lead_events'
  | 'sales'
  | 'commissions'
  | 'commission_totals'
  | 'held_totals'
  | 'payouts'
  | 'daily_totals';

async function ofPrograms<T extends AuditedTable>(
  engine: Engine,
  table: T,
  programIds: readonly number[],
): Promise<Selectable<Schema[T]>[]> {
  const rows = await engine.read
    .selectFrom(table as AuditedTable)
    .selectAll()
    .where('program_id', 'in', [-1, ...programIds])
    .execute();
  // Kysely can't infer the row type when the table is a type parameter.
  return rows as unknown as Selectable<Schema[T]>[];
}

function excludeTests<R extends { is_test: 0 | 1 }>(rows: readonly R[]): R[] {
  return rows.filter((row) => row.is_test === 0);
}
