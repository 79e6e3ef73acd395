import { type Kysely, type RawBuilder, sql } from 'kysely';
import { CHAINED_FIELDS, type ChainedEntry, type ChainHead } from '../../domain/ledger-chain.ts';
import type { PayoutStatus } from '../../domain/payout-status.ts';
import type { Schema } from '../database/schema.ts';
import type { LedgerAccount, LedgerEntryTable } from '../database/schema-money.ts';

const LEDGER_PAGE_SIZE = 1_000;

export interface SealedEntry extends ChainedEntry {
  readonly chain_position: number;
  readonly chain_hash: string | null;
}

/** Counts the rows that an audit reads. @param programId null counts the rows of all programs */
export async function countAuditedRows(db: Kysely<Schema>, programId: number | null): Promise<number> {
  let total = 0;
  for (const table of ['ledger_entries', 'commissions', 'payouts'] as const) {
    const row = await db
      .selectFrom(table)
      .select(({ fn }) => fn.countAll<number>().as('rows'))
      .$if(programId !== null, (query) => query.where('program_id', '=', programId ?? 0))
      .executeTakeFirstOrThrow();
    total += row.rows;
  }
  return total;
}

/** Yields the sealed entries of a program in pages of 1,000, ordered by position. */
export async function* sealedEntries(
  db: Kysely<Schema>,
  programId: number,
): AsyncGenerator<readonly SealedEntry[]> {
  // Start below 1, the first valid position, so that entries with an invalid position are found too.
  for (let last = Number.MIN_SAFE_INTEGER; ; ) {
    const page = await db
      .selectFrom('ledger_entries')
      .select([...CHAINED_FIELDS, 'chain_hash'])
      .select((eb) => eb.ref('chain_position').$notNull().as('chain_position'))
      .where('program_id', '=', programId)
      .where('chain_position', 'is not', null)
      .where('chain_position', '>', last)
      .orderBy('chain_position')
      .limit(LEDGER_PAGE_SIZE)
      .execute();
    const end = page.at(-1);
    if (!end) return;
    yield page;
    last = end.chain_position;
  }
}

export async function findStoredHead(db: Kysely<Schema>, programId: number): Promise<ChainHead | null> {
  const row = await db
    .selectFrom('ledger_chains')
    .select(['position', 'hash'])
    .where('program_id', '=', programId)
    .executeTakeFirst();
  return row ?? null;
}

/**
 * Counts the unsealed entries of a program. Also returns the oldest unsealed entry, and the creation time of the
 * last sealed entry.
 */
export async function findUnsealed(
  db: Kysely<Schema>,
  programId: number,
): Promise<{
  count: number;
  oldest: { id: number; created_at: number } | null;
  lastSealedAt: number | null;
}> {
  const unsealed = db
    .selectFrom('ledger_entries')
    .where('program_id', '=', programId)
    .where('chain_position', 'is', null);
  const { count } = await unsealed
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  const oldest = await unsealed
    .select(['id', 'created_at'])
    .orderBy('created_at')
    .orderBy('id')
    .limit(1)
    .executeTakeFirst();
  const last = await db
    .selectFrom('ledger_entries')
    .select('created_at')
    .where('program_id', '=', programId)
    .where('chain_position', 'is not', null)
    .orderBy('chain_position', 'desc')
    .limit(1)
    .executeTakeFirst();
  return { count, oldest: oldest ?? null, lastSealedAt: last?.created_at ?? null };
}

/** A stored balance that differs from the sum of its entries, in cents. */
export interface BalanceDrift {
  readonly partner_id: number;
  readonly currency: string;
  readonly stored: number;
  readonly expected: number;
}

const BALANCE_CHANGE = sql`CASE WHEN credit_account IN ('partner_payable', 'payout_clearing') THEN amount_cents ELSE 0 END
  - CASE WHEN debit_account IN ('partner_payable', 'payout_clearing') THEN amount_cents ELSE 0 END`;

/** Finds the first balance in the program that differs from the sum of its entries. */
export async function findBalanceDrift(db: Kysely<Schema>, programId: number): Promise<BalanceDrift | null> {
  const [drift] = await listDrifts(
    db,
    sql`SELECT partner_id, currency, balance_cents AS stored, 0 AS expected FROM balances WHERE program_id = ${programId}
      UNION ALL
      SELECT partner_id, currency, 0, ${BALANCE_CHANGE} FROM ledger_entries
      WHERE program_id = ${programId} AND scope = 'partner_program'`,
    1,
  );
  return drift ?? null;
}

/** The partners whose balances are checked: all, those of a program, or a single one. */
export type PartnerFilter = 'all' | { readonly programId: number } | { readonly partnerId: number };

const MAX_DRIFTS = 1_000;

/** Lists the partners' balances across all programs that differ from the sum of their ledger entries. */
export function listTotalBalanceDrifts(db: Kysely<Schema>, partners: PartnerFilter): Promise<BalanceDrift[]> {
  const condition =
    partners === 'all'
      ? sql``
      : 'partnerId' in partners
        ? sql` AND partner_id = ${partners.partnerId}`
        : sql` AND partner_id IN (SELECT partner_id FROM partner_programs WHERE program_id = ${partners.programId})`;
  return listDrifts(
    db,
    sql`SELECT partner_id, currency, balance_cents AS stored, 0 AS expected FROM balances WHERE program_id = 0${condition}
      UNION ALL
      SELECT partner_id, currency, 0, ${BALANCE_CHANGE} FROM ledger_entries WHERE scope = 'partner'${condition}`,
    MAX_DRIFTS,
  );
}

async function listDrifts(
  db: Kysely<Schema>,
  rowsOfBoth: RawBuilder<unknown>,
  limit: number,
): Promise<BalanceDrift[]> {
  const { rows } = await sql<BalanceDrift>`
    SELECT partner_id, currency, SUM(stored) AS stored, SUM(expected) AS expected FROM (${rowsOfBoth}) AS both_sums
    GROUP BY partner_id, currency HAVING SUM(stored) <> SUM(expected)
    ORDER BY partner_id, currency LIMIT ${limit}`.execute(db);
  return rows;
}

/** An entry whose commission, refund, adjustment, or payout does not exist or does not match the entry. */
export interface DanglingEntry {
  readonly id: number;
  readonly reference: 'commission' | 'refund' | 'adjustment' | 'payout';
  /** The id that the entry refers to. Null when a required reference is missing. */
  readonly referenced_id: number | null;
}

const REQUIRES_COMMISSION = sql`e.kind IN ('commission', 'deduction', 'clamp', 'adjustment')`;

/**
 * Finds the first entry whose commission, refund, adjustment or payout does not exist, or belongs to another
 * partner or currency.
 */
export async function findDanglingEntry(
  db: Kysely<Schema>,
  programId: number,
): Promise<DanglingEntry | null> {
  const { rows } = await sql<DanglingEntry>`
    SELECT id, reference, referenced_id FROM (
      SELECT e.id, 'commission' AS reference, e.commission_id AS referenced_id FROM ledger_entries e
      LEFT JOIN commissions c ON c.program_id = e.program_id AND c.id = e.commission_id
        AND c.partner_id = e.partner_id AND c.currency = e.currency
      WHERE e.program_id = ${programId} AND c.id IS NULL AND (e.commission_id IS NOT NULL OR ${REQUIRES_COMMISSION})
      UNION ALL
      SELECT e.id, 'refund', e.refund_id FROM ledger_entries e
      LEFT JOIN refunds r ON r.program_id = e.program_id AND r.id = e.refund_id AND r.commission_id = e.commission_id
      WHERE e.program_id = ${programId} AND r.id IS NULL AND e.refund_id IS NOT NULL
      UNION ALL
      SELECT e.id, 'adjustment', e.adjustment_id FROM ledger_entries e
      LEFT JOIN adjustments a ON a.program_id = e.program_id AND a.id = e.adjustment_id
        AND a.commission_id = e.commission_id
      WHERE e.program_id = ${programId} AND a.id IS NULL AND (e.adjustment_id IS NOT NULL OR e.kind = 'adjustment')
      UNION ALL
      SELECT e.id, 'payout', e.payout_id FROM ledger_entries e
      LEFT JOIN payouts p ON p.program_id = e.program_id AND p.id = e.payout_id
        AND p.partner_id = e.partner_id AND p.currency = e.currency
      WHERE e.program_id = ${programId} AND p.id IS NULL AND (e.payout_id IS NOT NULL OR e.kind = 'payout')
    ) AS dangling ORDER BY id, reference LIMIT 1`.execute(db);
  return rows[0] ?? null;
}

/** The sum of a commission's or payout's entries that have the same scope, kind, and accounts. */
export interface MovementSum {
  readonly subject_id: number;
  readonly scope: LedgerEntryTable['scope'];
  readonly kind: LedgerEntryTable['kind'];
  readonly debit_account: LedgerAccount;
  readonly credit_account: LedgerAccount;
  readonly cents: number;
}

export interface AuditedCommission {
  readonly id: number;
  readonly partner_id: number;
  readonly currency: string;
  readonly status: string;
  readonly amount_cents: number;
  readonly deducted_cents: number;
  readonly adjusted_cents: number;
  readonly rejected_at: number | null;
  readonly paid_at: number | null;
  readonly payout_id: number | null;
  /** The sum of the deductions for the sale's refunds, minus the deductions that were credited back. */
  readonly refund_deduction_cents: number;
  /** The refunded total of the commission's sale. */
  readonly refunded_cents: number;
  /** The status of the commission's payout. Null when no payout with this id has the same partner and currency. */
  readonly payout_status: PayoutStatus | null;
  /** The sum of the commission's adjustments. */
  readonly adjustment_sum_cents: number;
  readonly movements: readonly MovementSum[];
}

/** Yields the commissions of a program in pages of 1,000, ordered by id. */
export async function* auditedCommissions(
  db: Kysely<Schema>,
  programId: number,
): AsyncGenerator<readonly AuditedCommission[]> {
  for (let last = 0; ; ) {
    const { rows } = await sql<Omit<AuditedCommission, 'movements'>>`
      SELECT c.id, c.partner_id, c.currency, c.status, c.amount_cents, c.deducted_cents, c.adjusted_cents, c.rejected_at,
        c.paid_at, c.payout_id, p.status AS payout_status,
        COALESCE((SELECT SUM(r.deduction_cents) FROM refunds r
          WHERE r.program_id = c.program_id AND r.commission_id = c.id), 0) AS refund_deduction_cents,
        COALESCE((SELECT SUM(r.applied_cents) FROM refunds r
          WHERE r.program_id = c.program_id AND r.commission_id = c.id), 0) AS refunded_cents,
        COALESCE((SELECT SUM(a.amount_cents) FROM adjustments a
          WHERE a.program_id = c.program_id AND a.commission_id = c.id), 0) AS adjustment_sum_cents
      FROM commissions c
      LEFT JOIN payouts p ON p.program_id = c.program_id AND p.id = c.payout_id
        AND p.partner_id = c.partner_id AND p.currency = c.currency
      WHERE c.program_id = ${programId} AND c.id > ${last} ORDER BY c.id LIMIT ${sql.lit(LEDGER_PAGE_SIZE)}`.execute(
      db,
    );
    const end = rows.at(-1);
    if (!end) return;
    const movements = await sumMovements(db, programId, 'commission_id', { after: last, upTo: end.id });
    yield rows.map((row) => ({ ...row, movements: movements.get(row.id) ?? [] }));
    last = end.id;
  }
}

export interface AuditedPayout {
  readonly id: number;
  readonly status: PayoutStatus;
  readonly amount_cents: number;
  readonly chain_position: number | null;
  readonly chain_hash: string | null;
  /** The hash of the entry at `chain_position`. */
  readonly sealed_hash: string | null;
  /**
   * The highest amount that the payout can have: the sum of its commissions, plus everything that may have raised the
   * partner's payable amount:
   *
   * - positive adjustments,
   * - deductions that were credited back, and
   * - `withheld_cents` of batch items that failed or were cancelled. When such an item was closed, this amount was
   *   subtracted from the item's payout. The same loss may already have reduced another payout. The partner's payable
   *   amount is then higher after the subtraction, so a later payout can include the amount.
   *
   * Clawbacks and refunds can only reduce the amount of a payout.
   */
  readonly max_cents: number;
  readonly movements: readonly MovementSum[];
}

/** Yields the payouts of a program in pages of 1,000, ordered by id. */
export async function* auditedPayouts(
  db: Kysely<Schema>,
  programId: number,
): AsyncGenerator<readonly AuditedPayout[]> {
  for (let last = 0; ; ) {
    const { rows } = await sql<Omit<AuditedPayout, 'movements'>>`
      WITH raised AS (
        SELECT partner_id, currency, SUM(cents) AS cents
        FROM (SELECT c.partner_id, c.currency, a.cents
            FROM (SELECT commission_id, amount_cents AS cents FROM adjustments
                WHERE program_id = ${programId} AND amount_cents > 0
              UNION ALL SELECT commission_id, -deduction_cents FROM refunds
                WHERE program_id = ${programId} AND deduction_cents < 0) a
            JOIN commissions c ON c.program_id = ${programId} AND c.id = a.commission_id
          UNION ALL SELECT f.partner_id, f.currency, i.withheld_cents FROM payout_batch_items i
            JOIN payouts f ON f.program_id = i.program_id AND f.id = i.payout_id
            WHERE i.program_id = ${programId} AND i.status IN ('failed', 'cancelled')) amounts
        GROUP BY partner_id, currency)
      SELECT p.id, p.status, p.amount_cents, p.chain_position, p.chain_hash, e.chain_hash AS sealed_hash,
        COALESCE(raised.cents, 0) + COALESCE((SELECT SUM(c.amount_cents)
          FROM commissions c WHERE c.program_id = p.program_id AND c.payout_id = p.id), 0) AS max_cents
      FROM payouts p
      LEFT JOIN ledger_entries e ON e.program_id = p.program_id AND e.chain_position = p.chain_position
        AND e.chain_position IS NOT NULL
      LEFT JOIN raised ON raised.partner_id = p.partner_id AND raised.currency = p.currency
      WHERE p.program_id = ${programId} AND p.id > ${last} ORDER BY p.id LIMIT ${sql.lit(LEDGER_PAGE_SIZE)}`.execute(
      db,
    );
    const end = rows.at(-1);
    if (!end) return;
    const movements = await sumMovements(db, programId, 'payout_id', { after: last, upTo: end.id });
    yield rows.map((row) => ({ ...row, movements: movements.get(row.id) ?? [] }));
    last = end.id;
  }
}

async function sumMovements(
  db: Kysely<Schema>,
  programId: number,
  subject: 'commission_id' | 'payout_id',
  range: { readonly after: number; readonly upTo: number },
): Promise<Map<number, MovementSum[]>> {
  const { rows } = await sql<MovementSum>`
    SELECT ${sql.ref(subject)} AS subject_id, scope, kind, debit_account, credit_account, SUM(amount_cents) AS cents
    FROM ledger_entries
    WHERE program_id = ${programId} AND ${sql.ref(subject)} > ${range.after} AND ${sql.ref(subject)} <= ${range.upTo}
    GROUP BY 1, 2, 3, 4, 5`.execute(db);
  return Map.groupBy(rows, (row) => row.subject_id);
}
