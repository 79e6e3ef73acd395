import { type Selectable, sql } from 'kysely';
import type { Transaction } from './engine/engine.ts';
import { rowsAs } from './rows.ts';
import type { Schema } from './schema.ts';
import { isUniqueViolation } from './unique-violation.ts';
import { TakenMeanwhile } from './write-unless-taken.ts';

export type CustomerRow = Selectable<Schema['customers']>;

/** The customers of a program that a caller names by key and by click, locked until the work ends. */
export async function findNamedCustomers(
  tx: Transaction,
  programId: number,
  names: { customerKey: string | undefined; clickId: string | undefined },
): Promise<{ byKey: CustomerRow | null; byClick: CustomerRow | null }> {
  const { customerKey, clickId } = names;
  if (customerKey === undefined && clickId === undefined) return { byKey: null, byClick: null };
  const rows = await tx.db
    .selectFrom('customers')
    .selectAll()
    .where('program_id', '=', programId)
    .where((where) =>
      where.or([
        ...(customerKey === undefined ? [] : [where('customer_key', '=', customerKey)]),
        ...(clickId === undefined ? [] : [where('click_id', '=', clickId)]),
      ]),
    )
    // One order of locks for everybody.
    .orderBy('id')
    .$if(tx.dialect === 'postgres', (query) => query.forUpdate())
    .execute();
  return {
    byKey: rows.find((row) => customerKey !== undefined && row.customer_key === customerKey) ?? null,
    byClick: rows.find((row) => clickId !== undefined && row.click_id === clickId) ?? null,
  };
}

/** Does any customer of that program carry the click id? */
export async function isKnownClick(tx: Transaction, programId: number, clickId: string): Promise<boolean> {
  const row = await tx.db
    .selectFrom('customers')
    .select('id')
    .where('program_id', '=', programId)
    .where('click_id', '=', clickId)
    .executeTakeFirst();
  return row !== undefined;
}

/** Takes a claimed key from the customer that holds it. */
export async function releaseCustomerKey(tx: Transaction, customer: CustomerRow): Promise<void> {
  await updateCustomer(tx, customer, { customer_key: null, key_state: null });
}

/** @throws TakenMeanwhile when another customer of the program has the key by now */
export async function updateCustomer(
  tx: Transaction,
  customer: Pick<CustomerRow, 'program_id' | 'id'>,
  change: Partial<Omit<CustomerRow, 'program_id' | 'id'>>,
): Promise<void> {
  try {
    await tx.db
      .updateTable('customers')
      .set(change)
      .where('program_id', '=', customer.program_id)
      .where('id', '=', customer.id)
      .execute();
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    throw new TakenMeanwhile('The customer key was taken meanwhile', { cause: error });
  }
}

/** What a sale leaves its customer with. */
export interface Conversion {
  /** The customer before. */
  readonly row: CustomerRow;
  readonly first_purchase_at: number;
  readonly customer_key: string | null;
  readonly key_state: CustomerRow['key_state'];
}

/**
 * Moves customers to `conversion`; those that say so already are not written again.
 * @throws TakenMeanwhile when another customer of a program has a key by now
 */
export async function updateConverted(tx: Transaction, conversions: readonly Conversion[]): Promise<void> {
  const changed = conversions.filter(
    ({ row, ...after }) =>
      row.status !== 'conversion' ||
      row.first_purchase_at !== after.first_purchase_at ||
      row.customer_key !== after.customer_key ||
      row.key_state !== after.key_state,
  );
  if (changed.length === 0) return;
  const columns = {
    program_id: 'integer',
    id: 'integer',
    first_purchase_at: 'integer',
    customer_key: 'text',
    key_state: 'text',
  } as const;
  const rows = changed.map(({ row, ...after }) => ({ program_id: row.program_id, id: row.id, ...after }));
  try {
    await sql`UPDATE customers SET status = 'conversion', first_purchase_at = now.first_purchase_at,
        customer_key = now.customer_key, key_state = now.key_state
      FROM ${rowsAs(tx, 'now', columns, rows)}
      WHERE customers.program_id = now.program_id AND customers.id = now.id`.execute(tx.db);
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    throw new TakenMeanwhile('A customer key was taken meanwhile', { cause: error });
  }
}
