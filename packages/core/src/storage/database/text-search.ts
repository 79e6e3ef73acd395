import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { lowerAscii } from '../../domain/lower-ascii.ts';
import type { Dialect } from './migrations/dialect.ts';

/** The last character in byte order. */
const LAST_CHARACTER = '\u{10ffff}';

/**
 * The expression that `startsWith` searches. The index on the column must contain the same expression. Only
 * ASCII letters are converted to lower case, which works the same on both engines.
 */
export function prefixKey(dialect: Dialect, column: string): string {
  return dialect === 'sqlite' ? `lower(${column})` : `lower(${column} COLLATE "C")`;
}

/**
 * Whether a column starts with the text. The case of ASCII letters is ignored. The condition uses the index on
 * `prefixKey`.
 */
export function startsWith(dialect: Dialect, column: string, text: string): RawBuilder<SqlBool> {
  const key = sql.raw(prefixKey(dialect, column));
  const prefix = lowerAscii(text);
  return sql<SqlBool>`(${key} >= ${prefix} AND ${key} < ${prefix + LAST_CHARACTER})`;
}

/**
 * Whether one of the columns contains the text. Use this condition only on few rows, because it reads every row.
 *
 * The database converts only ASCII letters to lower case. For other letters, the condition matches the text as it is
 * written, in lower case, in upper case, and capitalized. SQLite cannot convert other letters. Postgres could, but a
 * language's collation would take ten times as long, and `ILIKE` would convert the pattern again for each row.
 */
export function containsText(
  dialect: Dialect,
  columns: readonly string[],
  text: string,
): RawBuilder<SqlBool> {
  const position = sql.raw(dialect === 'sqlite' ? 'instr' : 'strpos');
  const written = [text, text.toLowerCase(), text.toUpperCase(), capitalize(text)];
  const variants = new Set(written.map(lowerAscii));
  const conditions = columns.flatMap((column) => {
    const key = sql.raw(prefixKey(dialect, column));
    return [...variants].map((variant) => sql`${position}(${key}, ${variant}) > 0`);
  });
  return sql<SqlBool>`(${sql.join(conditions, sql` OR `)})`;
}

function capitalize(text: string): string {
  const [first = ''] = text;
  return first.toUpperCase() + text.slice(first.length).toLowerCase();
}
