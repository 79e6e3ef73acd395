import { type Insertable, type Kysely, type Selectable, sql } from 'kysely';
import { programOfClickId } from '../../domain/click-id.ts';
import type { Transaction } from '../database/engine/engine.ts';
import { UniqueConflict } from '../database/retry-on-conflict.ts';
import { inlineTable } from '../database/rows.ts';
import type { Schema } from '../database/schema.ts';
import { splitByProgram } from '../database/split-by-program.ts';
import { isUniqueViolation } from '../database/unique-violation.ts';

export type CustomerRow = Selectable<Schema['customers']>;

/** The identifiers of a customer in a request: the customer key, the click id, or both. */
export interface CustomerName {
  readonly programId: number;
  readonly customerKey: string | undefined;
  readonly clickId: string | undefined;
}

/**
 * Loads customers by key or click id, and locks their rows until the transaction ends. All transactions lock
 * customers in the same order.
 */
export async function lockNamedCustomers(
  tx: Transaction,
  names: readonly CustomerName[],
): Promise<CustomerRow[]> {
  const customers: CustomerRow[] = [];
  for (const { rows, isInProgram } of splitByProgram(tx, names, ({ programId }) => programId)) {
    const named = (name: string, pick: (one: CustomerName) => string | undefined) =>
      inlineTable(
        tx,
        name,
        { program_id: 'integer', name: 'text' },
        rows.flatMap((one) => {
          const text = pick(one);
          return text === undefined ? [] : [{ program_id: one.programId, name: text }];
        }),
      );
    const found = await sql<CustomerRow>`
    SELECT customers.* FROM (
      SELECT c.program_id, c.id FROM ${named('keys', (one) => one.customerKey)}
      JOIN customers c ON c.program_id = keys.program_id AND c.customer_key = keys.name
      WHERE ${isInProgram('c.program_id')}
      UNION
      SELECT c.program_id, c.id FROM ${named('clicks', (one) => one.clickId)}
      JOIN customers c ON c.program_id = clicks.program_id AND c.click_id = clicks.name
      WHERE ${isInProgram('c.program_id')}
    ) AS found JOIN customers ON customers.program_id = found.program_id AND customers.id = found.id
    WHERE ${isInProgram('customers.program_id')}
    ORDER BY customers.program_id, customers.id ${tx.dialect === 'postgres' ? sql`FOR UPDATE OF customers` : sql``}
  `.execute(tx.db);
    customers.push(...found.rows);
  }
  return customers;
}

/**
 * Finds the click id of the customer who has a click id or customer key. The function compares only one column, because
 * SQLite would read all customers of the program to compare either.
 */
export async function findClickIdOfCustomer(
  db: Kysely<Schema>,
  programId: number,
  column: 'click_id' | 'customer_key',
  name: string,
): Promise<string | null> {
  const row = await db
    .selectFrom('customers')
    .select('click_id')
    .where('program_id', '=', programId)
    .where(column, '=', name)
    .executeTakeFirst();
  return row?.click_id ?? null;
}

/**
 * Lists the other program ids in the click ids of the program's customers: the ids that the program had in other
 * installations. Reads all customers of the program.
 */
export async function listFormerProgramIds(db: Kysely<Schema>, programId: number): Promise<number[]> {
  const rows = await db
    .selectFrom('customers')
    .select((eb) => eb.fn.min('click_id').as('click_id'))
    .where('program_id', '=', programId)
    .groupBy(sql`SUBSTR(click_id, 1, 11)`)
    .execute();
  return rows.flatMap((row) => ownerElsewhere(programId, row.click_id) ?? []);
}

/** Finds a customer of the program by its row id. */
export async function findCustomer(
  tx: Transaction,
  programId: number,
  customerId: number,
): Promise<CustomerRow | null> {
  const row = await tx.db
    .selectFrom('customers')
    .selectAll()
    .where('program_id', '=', programId)
    .where('id', '=', customerId)
    .executeTakeFirst();
  return row ?? null;
}

/**
 * Finds which click ids in the requests belong to customers of other programs.
 * @returns a function that checks this for one click id
 */
export async function loadForeignClicks(
  tx: Transaction,
  names: readonly Omit<CustomerName, 'customerKey'>[],
): Promise<(programId: number, clickId: string | undefined) => boolean> {
  const clicks = new Map<string, { program_id: number; click_id: string }>();
  for (const { programId, clickId } of names) {
    const owner = ownerElsewhere(programId, clickId);
    if (owner !== null && clickId !== undefined)
      clicks.set(clickId, { program_id: owner, click_id: clickId });
  }
  if (clicks.size === 0) return () => false;
  const { rows } = await sql<{ click_id: string }>`
    SELECT c.click_id FROM ${inlineTable(tx, 'named', { program_id: 'integer', click_id: 'text' }, [...clicks.values()])}
    JOIN customers c ON c.program_id = named.program_id AND c.click_id = named.click_id`.execute(tx.db);
  const knownClickIds = new Set(rows.map((row) => row.click_id));
  return (programId, clickId) =>
    clickId !== undefined && ownerElsewhere(programId, clickId) !== null && knownClickIds.has(clickId);
}

function ownerElsewhere(programId: number, clickId: string | undefined): number | null {
  const owner = clickId === undefined ? null : programOfClickId(clickId);
  return owner === programId ? null : owner;
}

/** Stores a customer who has no click. @throws a unique violation when another customer has the key or click id */
export async function insertCustomer(
  tx: Transaction,
  customer: Insertable<Schema['customers']>,
): Promise<CustomerRow> {
  return await tx.db.insertInto('customers').values(customer).returningAll().executeTakeFirstOrThrow();
}

/** A change to a locked customer. */
export interface CustomerChange {
  readonly before: CustomerRow;
  readonly after: CustomerRow;
}

/** The columns that leads and sales can change. */
const MUTABLE_CUSTOMER_COLUMNS = {
  status: 'text',
  customer_key: 'text',
  key_state: 'text',
  email_hash: 'text',
  email_masked: 'text',
  signup_at: 'integer',
  first_purchase_at: 'integer',
} as const;
// TypeScript types the result of `Object.keys` as `string[]`. The cast is safe, because the object has no other keys.
const MUTABLE_COLUMNS = Object.keys(MUTABLE_CUSTOMER_COLUMNS) as (keyof typeof MUTABLE_CUSTOMER_COLUMNS)[];

/**
 * Stores changes to customers. Each customer must occur only once. Unchanged customers are not written. A
 * customer key may move from one of the customers to another.
 * @throws UniqueConflict when another process has given one of the keys to another customer
 */
export async function updateCustomers(tx: Transaction, changes: readonly CustomerChange[]): Promise<void> {
  const changed = changes.filter(({ before, after }) =>
    MUTABLE_COLUMNS.some((column) => before[column] !== after[column]),
  );
  if (changed.length === 0) return;
  // The database checks uniqueness row by row. A key must therefore be removed from one customer before
  // another customer gets it.
  await releaseKeys(
    tx,
    changed.filter(
      ({ before, after }) => before.customer_key !== null && before.customer_key !== after.customer_key,
    ),
  );
  const rows = changed.map(({ after }) => ({
    program_id: after.program_id,
    id: after.id,
    ...Object.fromEntries(MUTABLE_COLUMNS.map((column) => [column, after[column]])),
  }));
  const set = MUTABLE_COLUMNS.map((column) => sql`${sql.id(column)} = now.${sql.id(column)}`);
  try {
    await sql`UPDATE customers SET ${sql.join(set)}
      FROM ${inlineTable(tx, 'now', { program_id: 'integer', id: 'integer', ...MUTABLE_CUSTOMER_COLUMNS }, rows)}
      WHERE customers.program_id = now.program_id AND customers.id = now.id`.execute(tx.db);
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    throw new UniqueConflict('Another process has stored the customer key', { cause: error });
  }
}

async function releaseKeys(tx: Transaction, changes: readonly CustomerChange[]): Promise<void> {
  if (changes.length === 0) return;
  const rows = changes.map(({ before }) => ({ program_id: before.program_id, id: before.id }));
  await sql`UPDATE customers SET customer_key = NULL, key_state = NULL
    FROM ${inlineTable(tx, 'freed', { program_id: 'integer', id: 'integer' }, rows)}
    WHERE customers.program_id = freed.program_id AND customers.id = freed.id`.execute(tx.db);
}
