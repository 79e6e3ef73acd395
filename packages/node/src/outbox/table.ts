import { configurationError } from '../errors.ts';

/** Runs a SQL statement in your database. Returns its rows as objects with the column names as keys. */
export type Query = (
  sql: string,
  values: readonly (string | number)[],
) => Promise<readonly object[]> | readonly object[];

/** The SQL dialect of the outbox table. */
export type Dialect = 'postgres' | 'sqlite';

/** The SQL statements of an outbox table. */
export interface TableStatements {
  readonly schema: string;
  readonly insert: string;
  readonly list: string;
  /** The statement that deletes this many rows. */
  readonly remove: (count: number) => string;
  readonly markRefused: string;
}

const ID_COLUMNS: Readonly<Record<Dialect, string>> = {
  postgres: 'bigint generated always as identity primary key',
  sqlite: 'integer primary key autoincrement',
};
/** Bounds the memory of a relay, and the events that are sent again if its process dies. */
const ROWS_PER_BATCH = 500;
const NAME = /^[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)?$/;

/**
 * Builds the statements of an outbox table.
 *
 * @throws AffkitConfigurationError if `name` needs quoting or `dialect` is unknown
 */
export function tableStatements(name: string, dialect: Dialect): TableStatements {
  if (!NAME.test(name)) {
    throw configurationError(`table must be an unquoted SQL name such as affkit_outbox, got ${name}`);
  }
  if (!Object.hasOwn(ID_COLUMNS, dialect)) {
    throw configurationError(`dialect must be postgres or sqlite, got ${dialect}`);
  }
  const withPlaceholders = (sql: string) => {
    let count = 0;
    return dialect === 'postgres' ? sql.replaceAll('?', () => `$${++count}`) : sql;
  };
  return {
    schema: [
      `create table if not exists ${name} (`,
      `  id ${ID_COLUMNS[dialect]},`,
      '  operation varchar(16) not null,',
      '  body text not null,',
      '  refusal text',
      ')',
    ].join('\n'),
    insert: withPlaceholders(`insert into ${name} (operation, body) values (?, ?)`),
    list: withPlaceholders(
      `select id, operation, body from ${name} where refusal is null and id > ? order by id limit ${ROWS_PER_BATCH}`,
    ),
    remove: (count) =>
      withPlaceholders(`delete from ${name} where id in (${Array(count).fill('?').join(', ')})`),
    markRefused: withPlaceholders(`update ${name} set refusal = ? where id = ?`),
  };
}
