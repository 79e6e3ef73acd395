import { type Kysely, sql } from 'kysely';
import {
  CHAINED_FIELDS,
  type ChainHead,
  initialChainHead,
  nextChainHead,
} from '../../domain/ledger-chain.ts';
import type { Transaction } from '../database/engine/engine.ts';
import type { Schema } from '../database/schema.ts';

/** The number of entries per statement. Each entry needs 3 of the 32,766 parameters that SQLite allows. */
const SEAL_BATCH_SIZE = 1_000;

/**
 * Appends all unsealed entries of the program to its hash chain in the order of their ids. This includes
 * entries of the current transaction. The chain is locked until the transaction ends, so that a concurrent
 * call starts from the new head. To avoid deadlocks, call this function last, after the locks on commissions,
 * payouts and balances.
 * @returns the new head of the chain
 */
export async function sealLedger(tx: Transaction, programId: number): Promise<ChainHead> {
  for (;;) {
    const { head, sealed } = await appendBatch(tx, programId);
    if (sealed < SEAL_BATCH_SIZE) return head;
  }
}

/**
 * Appends as many unsealed entries of the program to its hash chain as fit in one statement.
 * @returns whether there may be more unsealed entries
 */
export async function sealBatch(tx: Transaction, programId: number): Promise<boolean> {
  const { sealed } = await appendBatch(tx, programId);
  return sealed === SEAL_BATCH_SIZE;
}

/** Lists programs with unsealed entries. The entries must be sealed in the write lane of the workspace. */
export async function findUnsealedPrograms(
  db: Kysely<Schema>,
): Promise<{ programId: number; workspaceId: number }[]> {
  return await db
    .selectFrom('program_shards')
    .innerJoin('programs', 'programs.id', 'program_shards.program_id')
    .select(['programs.id as programId', 'programs.workspace_id as workspaceId'])
    // Read only one entry per program, because the backlog may be long.
    .where(
      (unsealed) =>
        unsealed
          .selectFrom('ledger_entries')
          .select('ledger_entries.id')
          .whereRef('ledger_entries.program_id', '=', 'program_shards.program_id')
          .where('ledger_entries.chain_position', 'is', null)
          .limit(1),
      'is not',
      null,
    )
    .orderBy('programs.id')
    .execute();
}

async function appendBatch(
  tx: Transaction,
  programId: number,
): Promise<{ readonly head: ChainHead; readonly sealed: number }> {
  const before = await lockHead(tx, programId);
  const entries = await tx.db
    .selectFrom('ledger_entries')
    .select([...CHAINED_FIELDS])
    .where('program_id', '=', programId)
    .where('chain_position', 'is', null)
    .orderBy('id')
    .limit(SEAL_BATCH_SIZE)
    .execute();
  if (entries.length === 0) return { head: before, sealed: 0 };
  let head = before;
  const positions = entries.map((entry) => {
    head = nextChainHead(head, entry);
    return sql`(CAST(${entry.id} AS BIGINT), CAST(${head.position} AS BIGINT), ${head.hash})`;
  });
  await sql`
    WITH sealed (id, position, hash) AS (VALUES ${sql.join(positions)})
    UPDATE ledger_entries SET chain_position = sealed.position, chain_hash = sealed.hash
    FROM sealed WHERE ledger_entries.program_id = ${programId} AND ledger_entries.id = sealed.id`.execute(
    tx.db,
  );
  await tx.db.updateTable('ledger_chains').set(head).where('program_id', '=', programId).execute();
  return { head, sealed: entries.length };
}

/** Locks the head of the chain until the transaction ends. Creates the chain if it does not exist. */
async function lockHead(tx: Transaction, programId: number): Promise<ChainHead> {
  await tx.db
    .insertInto('ledger_chains')
    .values({ program_id: programId, ...initialChainHead(programId) })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  return await tx.db
    .selectFrom('ledger_chains')
    .select(['position', 'hash'])
    .where('program_id', '=', programId)
    .$if(tx.dialect === 'postgres', (query) => query.forUpdate())
    .executeTakeFirstOrThrow();
}
