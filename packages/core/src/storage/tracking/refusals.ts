import { type Insertable, type Kysely, type Selectable, sql } from 'kysely';
import { directoryCodes, findByCode } from '../../domain/short-link.ts';
import type { Transaction } from '../database/engine/engine.ts';
import { idList } from '../database/id-list.ts';
import { insertRows } from '../database/rows.ts';
import type { Schema } from '../database/schema.ts';

/** The maximum number of rejected calls that are stored per program. */
const MAX_REFUSALS = 1_000;
/**
 * At least this many of the latest calls with a token are kept. The same applies to the latest calls without a token.
 * Anyone can send calls without a token, and these must not displace the calls with a token.
 */
const RESERVED_REFUSALS = MAX_REFUSALS / 2;

/**
 * Stores rejected calls. If a program then has more than `MAX_REFUSALS` calls, deletes its oldest calls that are not
 * reserved.
 */
export async function insertRefusals(
  tx: Transaction,
  rows: readonly Insertable<Schema['refusals']>[],
): Promise<void> {
  await insertRows(
    tx,
    'refusals',
    rows.map(({ id: _, ...row }) => row),
  );
  for (const programId of new Set(rows.map((row) => row.program_id)))
    await deleteSurplusRefusals(tx, programId);
}

async function deleteSurplusRefusals(tx: Transaction, programId: number): Promise<void> {
  const surplus = await tx.db
    .selectFrom('refusals')
    .select('id')
    .where('program_id', '=', programId)
    .orderBy('id', 'desc')
    .offset(MAX_REFUSALS)
    .limit(1)
    .executeTakeFirst();
  if (!surplus) return;
  // Another process may be deleting the same rows. Skipping locked rows prevents a deadlock.
  const unlessLocked = tx.dialect === 'postgres' ? sql`FOR UPDATE SKIP LOCKED` : sql``;
  await sql`DELETE FROM refusals WHERE program_id = ${programId} AND id IN (
    SELECT id FROM refusals WHERE program_id = ${programId} AND id IN (
      SELECT id FROM (
        SELECT id, ROW_NUMBER() OVER (ORDER BY is_reserved DESC, id DESC) AS place FROM (
          SELECT id, CASE WHEN ROW_NUMBER() OVER (PARTITION BY has_token ORDER BY id DESC)
            <= ${sql.lit(RESERVED_REFUSALS)} THEN 1 ELSE 0 END AS is_reserved
          FROM refusals WHERE program_id = ${programId}) AS ranked) AS placed
      WHERE place > ${sql.lit(MAX_REFUSALS)}) ${unlessLocked})`.execute(tx.db);
}

/** Returns the ids for which a program exists. */
export async function findExistingPrograms(db: Kysely<Schema>, ids: readonly number[]): Promise<number[]> {
  if (ids.length === 0) return [];
  const rows = await db
    .selectFrom('programs')
    .select('id')
    .where('id', 'in', idList(ids))
    .where('deleted_at', 'is', null)
    .execute();
  return rows.map(({ id }) => id);
}

/** Finds the programs of links by the links' codes. */
export async function findProgramsOfLinks(
  db: Kysely<Schema>,
  codes: readonly string[],
): Promise<(readonly [code: string, programId: number])[]> {
  if (codes.length === 0) return [];
  const rows = await db
    .selectFrom('link_directory')
    .innerJoin('programs', 'programs.id', 'link_directory.program_id')
    .select(['short_link', 'program_id'])
    .where('short_link', 'in', codes.flatMap(directoryCodes))
    .where('deleted_at', 'is', null)
    .execute();
  const programs = new Map(rows.map((row) => [row.short_link, row.program_id]));
  return codes.flatMap((code) => {
    const programId = findByCode(programs, code);
    return programId === undefined ? [] : [[code, programId] as const];
  });
}

/** Lists a page of the program's rejected calls, newest first. @param filter.text must be in lower case */
export async function listRefusals(
  db: Kysely<Schema>,
  programId: number,
  filter: { readonly code: string | undefined; readonly text: string | undefined },
  range: { readonly offset: number; readonly limit: number },
  dialect: Transaction['dialect'],
): Promise<{ rows: Selectable<Schema['refusals']>[]; total: number }> {
  const { code, text } = filter;
  const position = dialect === 'sqlite' ? sql.raw('instr') : sql.raw('strpos');
  const matching = db
    .selectFrom('refusals')
    .where('program_id', '=', programId)
    .$if(code !== undefined, (query) => query.where('code', '=', code ?? ''))
    .$if(text !== undefined, (query) =>
      query.where(sql<boolean>`${position}(search_text, ${text ?? ''}) > 0`),
    );
  const { total } = await matching
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  const rows = await matching
    .selectAll()
    .orderBy('id', 'desc')
    .limit(range.limit)
    .offset(range.offset)
    .execute();
  return { rows, total };
}
