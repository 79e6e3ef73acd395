import type { Selectable } from 'kysely';
import type { Transaction } from './engine/engine.ts';
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
