import { sql } from 'kysely';
import { type ChainHead, initialChainHead, nextChainHead } from '../../domain/ledger-chain.ts';
import type { Transaction } from '../database/engine/engine.ts';
import { inlineTable, insertRows, type Row } from '../database/rows.ts';
import { type ImportedEntry, importLedgerEntries } from '../money/ledger.ts';
import { insertImportPartners, type ProgramImport } from './imports.ts';
import type { TransferTable } from './transfer-table.ts';

/**
 * Stores rows of an import. A partner that already exists keeps its id, even if `rows` contains another id.
 * @param rows rows with the ids of this installation
 * @param sources the same rows with the ids of the export
 * @throws a unique violation when another row with the same key was stored in the meantime
 */
export async function storeTransferRows(
  tx: Transaction,
  one: ProgramImport,
  table: TransferTable,
  rows: readonly Row[],
  sources: readonly Row[],
): Promise<void> {
  if (table.isDerived || table.name === 'ledger_sums') return;
  const owners = { program_id: one.program_id, workspace_id: one.workspace_id };
  const stored = rows.map((row) => ({
    ...row,
    ...table.omitted,
    ...Object.fromEntries(table.owners.map((owner) => [owner, owners[owner]])),
  }));
  switch (table.name) {
    case 'partners':
      return await storePartners(tx, one, stored, sources);
    case 'ledger_entries':
      return await storeEntries(tx, one.program_id, stored);
    case 'processor_ties':
      return await storePaymentIdPairs(tx, one, stored);
    case 'sales':
      await insertRows(tx, table.name, stored);
      return await claimTransactionIds(tx, one.program_id, stored);
    default:
      await insertRows(tx, table.name, stored);
  }
}

/** Stores partners whose email address is new in the workspace. Existing partners are not changed. */
async function storePartners(
  tx: Transaction,
  one: ProgramImport,
  rows: readonly Row[],
  sources: readonly Row[],
): Promise<void> {
  await insertRows(tx, 'partners', rows, sql`ON CONFLICT (workspace_id, email) DO NOTHING`);
  const emails = rows.map((row) => ({ email: String(row['email']) }));
  const { rows: found } = await sql<{ id: number; email: string }>`SELECT p.id, p.email
    FROM ${inlineTable(tx, 'named', { email: 'text' }, emails)}
    JOIN partners AS p ON p.workspace_id = ${one.workspace_id} AND p.email = named.email`.execute(tx.db);
  const idOf = new Map(found.map(({ id, email }) => [email, id]));
  const partners = sources.map((source) => {
    const partnerId = idOf.get(String(source['email']));
    if (partnerId === undefined) throw new Error(`Partner ${source['id']} of the export was not stored`);
    return { sourceId: Number(source['id']), partnerId };
  });
  await insertImportPartners(tx, one.id, partners);
}

/**
 * Stores pairs of ids of the same payment. The workspace may already have stored a pair, for example when the processor
 * reported the payment to both installations. The import counts as a use of the pairs. Otherwise, before the import is
 * verified, a job could delete pairs that have not been used for a long time.
 */
async function storePaymentIdPairs(
  tx: Transaction,
  one: ProgramImport,
  pairs: readonly Row[],
): Promise<void> {
  await insertRows(
    tx,
    'processor_ties',
    pairs.map((pair) => ({ ...pair, used_at: one.started_at })),
    sql`ON CONFLICT (workspace_id, ref, other) DO UPDATE SET used_at = excluded.used_at
      WHERE processor_ties.used_at < excluded.used_at`,
  );
}

/**
 * Adds the transaction ids to the directory, as for a recorded sale. An id that another workspace already has
 * is skipped. This can happen only if `TRANSACTION_IDS` allows it.
 */
async function claimTransactionIds(tx: Transaction, programId: number, sales: readonly Row[]): Promise<void> {
  await insertRows(
    tx,
    'transaction_directory',
    sales.map((sale) => ({
      processor_event_id: String(sale['processor_event_id']),
      program_id: programId,
      sale_id: Number(sale['id']),
    })),
    sql`ON CONFLICT DO NOTHING`,
  );
}

/**
 * Stores ledger entries in the order of the exported chain, and seals them. The entries get new hashes, because
 * a hash depends on the ids.
 */
async function storeEntries(tx: Transaction, programId: number, rows: readonly Row[]): Promise<void> {
  let head = await findHead(tx, programId);
  const entries = rows.map((row) => {
    // The cast is safe, because the columns were checked when the row was read.
    const entry = row as unknown as ImportedEntry;
    head = nextChainHead(head, entry);
    return { ...entry, chain_position: head.position, chain_hash: head.hash };
  });
  await importLedgerEntries(tx, entries);
  await tx.db
    .insertInto('ledger_chains')
    .values({ program_id: programId, ...head })
    .onConflict((conflict) => conflict.column('program_id').doUpdateSet(head))
    .execute();
}

async function findHead({ db }: Transaction, programId: number): Promise<ChainHead> {
  const head = await db
    .selectFrom('ledger_chains')
    .select(['position', 'hash'])
    .where('program_id', '=', programId)
    .executeTakeFirst();
  return head ?? initialChainHead(programId);
}

/** Stores in each payout the hash of the ledger chain at the payout's chain position. */
export async function anchorPayouts({ db }: Transaction, programId: number): Promise<void> {
  await sql`UPDATE payouts SET chain_hash = CASE chain_position WHEN 0 THEN ${initialChainHead(programId).hash} ELSE
      (SELECT e.chain_hash FROM ledger_entries AS e
        WHERE e.program_id = payouts.program_id AND e.chain_position = payouts.chain_position) END
    WHERE program_id = ${programId} AND chain_position IS NOT NULL`.execute(db);
}
