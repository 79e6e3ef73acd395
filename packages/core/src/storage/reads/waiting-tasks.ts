import { type Kysely, sql } from 'kysely';
import { idList } from '../database/id-list.ts';
import type { Schema } from '../database/schema.ts';

/**
 * Counts the open applications and pending payouts of each program in the workspace. Skips deleted programs, and reads
 * at most 100 of the others, in the order of their ids. Programs with nothing to count are left out of the result.
 */
export async function listWaitingTasks(
  db: Kysely<Schema>,
  workspaceId: number,
): Promise<{ programName: string; applications: number; payouts: number }[]> {
  const programs = await db
    .selectFrom('programs')
    .select(['id', 'name'])
    .where('workspace_id', '=', workspaceId)
    .where('deleted_at', 'is', null)
    .orderBy('id')
    .limit(100)
    .execute();
  const ids = idList(programs.map(({ id }) => id));
  // The rows are counted in separate statements. Citus rejects a statement that counts rows of a distributed table
  // for each row of a reference table, such as `programs`.
  const applications = await db
    .selectFrom('partner_programs')
    .select(({ fn }) => ['program_id', fn.countAll<number>().as('total')])
    .where('program_id', 'in', ids)
    .where('status', '=', 'pending')
    .groupBy('program_id')
    .execute();
  const payouts = await db
    .selectFrom('payouts')
    .select(({ fn }) => ['program_id', fn.countAll<number>().as('total')])
    .where('program_id', 'in', ids)
    // The status must be a literal. With a parameter, the planner cannot use the partial index.
    .where('status', '=', sql.lit('pending'))
    .groupBy('program_id')
    .execute();
  const totalOf = (rows: typeof payouts, programId: number) =>
    Number(rows.find(({ program_id }) => program_id === programId)?.total ?? 0);
  return programs
    .map(({ id, name }) => ({
      programName: name,
      applications: totalOf(applications, id),
      payouts: totalOf(payouts, id),
    }))
    .filter(({ applications, payouts }) => applications + payouts > 0);
}
