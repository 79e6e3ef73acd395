import { type Kysely, sql } from 'kysely';
import { CHAINED_FIELDS, type ChainHead, firstHead, nextHead } from '../../domain/ledger-chain.ts';
import type { Transaction } from '../database/engine/engine.ts';
import type { Schema } from '../database/schema.ts';

/** Entries of one statement: three parameters each, of SQLite's 32,766. */
const CHUNK = 1_000;

/**
 * Puts every unsealed entry of the program that this transaction sees, its own included, at the end of the program's
 * chain, in the order of their ids. The chain stays locked until the work ends: of several that seal at once each
 * goes on where the one before ended. To be called last, after the locks on commissions, payouts and balances.
 * @returns the head, which stands for everything before it
 */
export async function sealProgram(tx: Transaction, programId: number): Promise<ChainHead> {
  for (;;) {
    const { head, sealed } = await sealChunk(tx, programId);
    if (sealed < CHUNK) return head;
  }
}

/** As `sealProgram`, but no more entries than fit one statement. @returns whether there may be more */
export async function sealSome(tx: Transaction, programId: number): Promise<boolean> {
  const { sealed } = await sealChunk(tx, programId);
  return sealed === CHUNK;
}

/** Programs with entries that no chain holds yet, with the workspace whose lane they belong to. */
export async function findUnsealedPrograms(
  db: Kysely<Schema>,
): Promise<{ programId: number; workspaceId: number }[]> {
  return await db
    .selectFrom('programs')
    .select(['programs.id as programId', 'programs.workspace_id as workspaceId'])
    // A look at one entry of each: a backlog may be long.
    .where(
      (unsealed) =>
        unsealed
          .selectFrom('ledger_entries')
          .select('ledger_entries.id')
          .whereRef('ledger_entries.program_id', '=', 'programs.id')
          .where('ledger_entries.chain_position', 'is', null)
          .limit(1),
      'is not',
      null,
    )
    .orderBy('programs.id')
    .execute();
}

async function sealChunk(
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
    .limit(CHUNK)
    .execute();
  if (entries.length === 0) return { head: before, sealed: 0 };
  let head = before;
  const places = entries.map((entry) => {
    head = nextHead(head, entry);
    return sql`(CAST(${entry.id} AS BIGINT), CAST(${head.position} AS BIGINT), ${head.hash})`;
  });
  await sql`
    WITH places (id, position, hash) AS (VALUES ${sql.join(places)})
    UPDATE ledger_entries SET chain_position = places.position, chain_hash = places.hash
    FROM places WHERE ledger_entries.program_id = ${programId} AND ledger_entries.id = places.id`.execute(
    tx.db,
  );
  await tx.db.updateTable('ledger_chains').set(head).where('program_id', '=', programId).execute();
  return { head, sealed: entries.length };
}

/** The chain's head, locked until the work ends; a chain that is asked for first is made. */
async function lockHead(tx: Transaction, programId: number): Promise<ChainHead> {
  await tx.db
    .insertInto('ledger_chains')
    .values({ program_id: programId, ...firstHead(programId) })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  return await tx.db
    .selectFrom('ledger_chains')
    .select(['position', 'hash'])
    .where('program_id', '=', programId)
    .$if(tx.dialect === 'postgres', (query) => query.forUpdate())
    .executeTakeFirstOrThrow();
}
