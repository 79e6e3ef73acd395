import { type Kysely, sql } from 'kysely';
import type { Dialect } from './dialect.ts';

/**
 * Converts the codes in `link_directory` to lower case, so that codes match and are unique regardless of
 * case. The links keep their spelling. If several codes differ only in case, only one of them can have the lower-case
 * form. This is the code that is already in lower case, or else the code of the oldest link. The other codes do not
 * change, so every existing URL still leads to its link.
 */
export async function up(db: Kysely<unknown>, dialect: Dialect): Promise<void> {
  // Codes contain only ASCII characters. Use the collation "C", because other collations of Postgres may convert the
  // letter `I` to a letter outside of ASCII.
  const folded = sql.raw(dialect === 'sqlite' ? 'lower(d.short_link)' : 'lower(d.short_link COLLATE "C")');
  await sql`
    UPDATE link_directory AS d SET short_link = ${folded}
    WHERE d.short_link <> ${folded} AND d.short_link IN (
      SELECT short_link FROM (
        SELECT d.short_link, ROW_NUMBER() OVER (PARTITION BY ${folded}
          ORDER BY CASE WHEN d.short_link = ${folded} THEN 0 ELSE 1 END, l.created_at, l.program_id, l.id) AS place
        FROM link_directory d JOIN links l ON l.program_id = d.program_id AND l.id = d.link_id) AS placed
      WHERE place = 1)`.execute(db);
}
