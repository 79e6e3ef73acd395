import { sql } from 'kysely';
import { isUniqueInService, type TransactionIdScope } from '../../domain/transaction-id.ts';
import type { Transaction } from '../database/engine/engine.ts';
import { inlineTable, type Row } from '../database/rows.ts';
import type { PartnerProgramStatus } from '../database/schema-programs.ts';
import type { CustomerRow } from './customers.ts';
import type { SaleKey } from './sales.ts';

// Lookups for a batch of sales. The number of statements does not depend on the number of sales.

/**
 * Loads the payment ids that have occurred in webhook events.
 * @returns a function that checks whether any of the given ids has occurred
 */
export async function loadIdsKnownToProcessor(
  tx: Transaction,
  payments: readonly { readonly workspaceId: number; readonly refs: readonly string[] }[],
): Promise<(workspaceId: number, refs: readonly string[]) => boolean> {
  const { rows } = await sql<{ workspace_id: number; ref: string }>`
    SELECT DISTINCT named.workspace_id, named.ref FROM ${referencesOf(tx, payments)}
    JOIN processor_ties ON processor_ties.workspace_id = named.workspace_id AND processor_ties.ref = named.ref
  `.execute(tx.db);
  const known = new Set(rows.map((row) => `${row.workspace_id} ${row.ref}`));
  return (workspaceId, refs) => refs.some((ref) => known.has(`${workspaceId} ${ref}`));
}

/** The recorded sales of the payments in a batch. */
export interface RecordedSales {
  /**
   * Finds the sale of a payment. It first looks for a sale of the workspace with the transaction id or one of the
   * references. If there is none, and the transaction id must be unique in the service, it looks for a sale of another
   * workspace with this transaction id. If there is none either, it returns null. The workspace's own sale comes first.
   * Otherwise, another workspace could hide it by using one of its references as a transaction id.
   */
  readonly find: (workspaceId: number, transactionId: string, refs: readonly string[]) => SaleKey | null;
  /** For each reference, lists the workspace's sale that has it, if any. A sale may therefore be listed repeatedly. */
  readonly list: (workspaceId: number, references: readonly string[]) => readonly SaleKey[];
}

/** Loads the recorded sales of payments. */
export async function loadRecordedSales(
  tx: Transaction,
  payments: readonly {
    readonly workspaceId: number;
    readonly transactionId: string;
    readonly refs: readonly string[];
  }[],
  scope: TransactionIdScope,
): Promise<RecordedSales> {
  const referencedPayments = payments.map(({ workspaceId, transactionId, refs }) => ({
    workspaceId,
    refs: [transactionId, ...refs],
  }));
  const salesInWorkspace = await sql<{
    workspace_id: number;
    ref: string;
    program_id: number;
    sale_id: number;
  }>`
    SELECT held.workspace_id, held.ref, held.program_id, held.sale_id FROM ${referencesOf(tx, referencedPayments)}
    JOIN processor_refs AS held ON held.workspace_id = named.workspace_id AND held.ref = named.ref
  `.execute(tx.db);
  const byRef = new Map(
    salesInWorkspace.rows.map((row) => [`${row.workspace_id} ${row.ref}`, toSaleKey(row)]),
  );
  const ids = payments.map(({ transactionId }) => transactionId);
  const byId = await loadDirectory(
    tx,
    ids.filter((id) => isUniqueInService(id, scope)),
  );
  const list = (workspaceId: number, references: readonly string[]) =>
    references.flatMap((ref) => byRef.get(`${workspaceId} ${ref}`) ?? []);
  return {
    find: (workspaceId, transactionId, refs) =>
      list(workspaceId, [transactionId, ...refs])[0] ?? byId.get(transactionId) ?? null,
    list,
  };
}

/** @returns a function that returns the row id of the customer of one of the sales, or null if the sale has none */
export async function loadCustomersOfSales(
  tx: Transaction,
  keys: readonly SaleKey[],
): Promise<(key: SaleKey) => number | null> {
  if (keys.length === 0) return () => null;
  const named = new Map(
    keys.map(({ programId, saleId }) => [
      `${programId} ${saleId}`,
      { program_id: programId, sale_id: saleId },
    ]),
  );
  const { rows } = await sql<{ program_id: number; id: number; customer_id: number | null }>`
    SELECT s.program_id, s.id, s.customer_id
    FROM ${inlineTable(tx, 'named', { program_id: 'integer', sale_id: 'integer' }, [...named.values()])}
    JOIN sales s ON s.program_id = named.program_id AND s.id = named.sale_id
  `.execute(tx.db);
  const customers = new Map(rows.map((row) => [`${row.program_id} ${row.id}`, row.customer_id]));
  return ({ programId, saleId }) => customers.get(`${programId} ${saleId}`) ?? null;
}

/** For each transaction id, loads the first sale that has it, in any program of the service. */
async function loadDirectory(tx: Transaction, ids: readonly string[]): Promise<Map<string, SaleKey>> {
  if (ids.length === 0) return new Map();
  const { rows } = await sql<{ processor_event_id: string; program_id: number; sale_id: number }>`
    SELECT held.processor_event_id, held.program_id, held.sale_id
    FROM ${inlineTable(
      tx,
      'named',
      { id: 'text' },
      [...new Set(ids)].map((id) => ({ id })),
    )}
    JOIN transaction_directory AS held ON held.processor_event_id = named.id
  `.execute(tx.db);
  return new Map(rows.map((row) => [row.processor_event_id, toSaleKey(row)]));
}

function toSaleKey(row: { program_id: number; sale_id: number }): SaleKey {
  return { programId: row.program_id, saleId: row.sale_id };
}

/**
 * Loads the enrollment statuses of the customers' partners.
 * @returns a lookup, which returns null for partners who are not enrolled
 */
export async function loadEnrollmentStatuses(
  tx: Transaction,
  customers: readonly Pick<CustomerRow, 'program_id' | 'partner_id'>[],
): Promise<(programId: number, partnerId: number) => PartnerProgramStatus | null> {
  const pairs = new Map(
    customers.flatMap(({ program_id, partner_id }) =>
      partner_id === null ? [] : [[`${program_id} ${partner_id}`, { program_id, partner_id }] as const],
    ),
  );
  const { rows } = await sql<{ program_id: number; partner_id: number; status: PartnerProgramStatus }>`
    SELECT p.program_id, p.partner_id, p.status
    FROM ${inlineTable(tx, 'named', { program_id: 'integer', partner_id: 'integer' }, [...pairs.values()])}
    JOIN partner_programs p ON p.program_id = named.program_id AND p.partner_id = named.partner_id
  `.execute(tx.db);
  const statuses = new Map(rows.map((row) => [`${row.program_id} ${row.partner_id}`, row.status]));
  return (programId, partnerId) => statuses.get(`${programId} ${partnerId}`) ?? null;
}

function referencesOf(
  tx: Pick<Transaction, 'dialect'>,
  payments: readonly { readonly workspaceId: number; readonly refs: readonly string[] }[],
) {
  const rows = new Map<string, Row>();
  for (const { workspaceId, refs } of payments) {
    for (const ref of refs) rows.set(`${workspaceId} ${ref}`, { workspace_id: workspaceId, ref });
  }
  return inlineTable(tx, 'named', { workspace_id: 'integer', ref: 'text' }, [...rows.values()]);
}
