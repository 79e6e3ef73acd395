import { type Kysely, type RawBuilder, type Selectable, sql } from 'kysely';
import type { Engine } from '../database/engine/engine.ts';
import { idList } from '../database/id-list.ts';
import {
  capPage,
  capTotal,
  type ListTotal,
  MAX_LISTED,
  type Page,
  readCountedPage,
} from '../database/list-page.ts';
import type { Schema } from '../database/schema.ts';
import { prefixKey, startsWith } from '../database/text-search.ts';
import { withoutIndex } from '../database/without-index.ts';

/** A customer with the name of its partner. */
export type CustomerView = Selectable<Schema['customers']> & {
  /** Null when the partner was erased. */
  readonly partner_name: string | null;
};

export async function findCustomer(
  db: Kysely<Schema>,
  programId: number,
  customerId: number,
): Promise<CustomerView | null> {
  const row = await selectListedCustomers(db)
    .where('customers.program_id', '=', programId)
    .where('customers.id', '=', customerId)
    .executeTakeFirst();
  return row ?? null;
}

/**
 * Lists a page of the program's newest `MAX_LISTED` customers, newest first. Within a program, click ids sort by time,
 * so the index on click ids has this order.
 * @param q a click id, or the start of a customer key; lists the first `MAX_LISTED` matching customers,
 * sorted by key
 */
export async function listCustomers(
  { dialect, read: db }: Pick<Engine, 'dialect' | 'read'>,
  programId: number,
  q: string | undefined,
  page: Page,
): Promise<{ customers: CustomerView[]; total: ListTotal }> {
  const listed =
    q === undefined
      ? sql`SELECT id, click_id FROM customers WHERE program_id = ${programId}
          ORDER BY click_id DESC LIMIT ${MAX_LISTED + 1}`
      : sql`SELECT id, click_id FROM (${selectCustomersByName(dialect, programId, q, MAX_LISTED + 1)}) AS named`;
  const readRows = async ({ offset, limit }: Page) => {
    const { rows } = await sql<{ id: number; total: number }>`SELECT id, count(*) OVER () AS total
      FROM (${listed}) AS listed ORDER BY click_id DESC LIMIT ${limit} OFFSET ${offset}`.execute(db);
    return rows;
  };
  const { rows, counted } = await readCountedPage(readRows, capPage(page));
  const ids = rows.map(({ id }) => id);
  // If SQLite could use an index on the program, it would read all customers of the program, not only these ids.
  const ofProgram = dialect === 'sqlite' ? withoutIndex('customers.program_id') : 'customers.program_id';
  const found = await selectListedCustomers(db)
    .where(ofProgram, '=', programId)
    .where('customers.id', 'in', idList(ids))
    .execute();
  const byId = new Map(found.map((row) => [row.id, row]));
  return { customers: ids.flatMap((id) => byId.get(id) ?? []), total: capTotal(Number(counted?.total ?? 0)) };
}

/** Selects customers by click id or by the start of their key. Both conditions use an index. */
export function selectCustomersByName(
  dialect: Engine['dialect'],
  programId: number,
  name: string,
  limit: number,
): RawBuilder<{ id: number; click_id: string }> {
  return sql`SELECT id, click_id FROM customers WHERE program_id = ${programId} AND click_id = ${name}
    UNION SELECT * FROM (SELECT id, click_id FROM customers
      WHERE program_id = ${programId} AND customer_key IS NOT NULL AND ${startsWith(dialect, 'customer_key', name)}
      ORDER BY ${sql.raw(prefixKey(dialect, 'customer_key'))} LIMIT ${limit}) AS of_key`;
}

function selectListedCustomers(db: Kysely<Schema>) {
  return db
    .selectFrom('customers')
    .leftJoin('partners', 'partners.id', 'customers.partner_id')
    .selectAll('customers')
    .select('partners.name as partner_name');
}
