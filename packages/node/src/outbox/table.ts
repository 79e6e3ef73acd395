import { configurationError } from '../errors.ts';

/** Runs a SQL statement in your database. Returns its rows as objects with the column names as keys. */
export type Query = (
  sql: string,
  values: readonly (string | number)[],
) => Promise<readonly object[]> | readonly object[];

/** The SQL dialect of the outbox table. `mysql` is for MySQL and MariaDB. */
export type Dialect = 'postgres' | 'sqlite' | 'mysql';

/** The SQL statements of an outbox table. */
export interface TableStatements {
  readonly schema: string;
  readonly insert: string;
  readonly list: string;
  /** Returns the statement that deletes `count` rows. */
  readonly remove: (count: number) => string;
  readonly markRefused: string;
}

/** For each dialect, the types of the columns and the options of the table. */
const TABLES: Readonly<Record<Dialect, { id: string; text: string; options: string }>> = {
  postgres: { id: 'bigint generated always as identity primary key', text: 'text', options: '' },
  sqlite: { id: 'integer primary key autoincrement', text: 'text', options: '' },
  // In MySQL, `text` is too short for an event of 64 KiB, and `utf8` cannot store four-byte characters.
  mysql: {
    id: 'bigint auto_increment primary key',
    text: 'mediumtext',
    options: ' engine = innodb default charset = utf8mb4',
  },
};
/** Limits the memory that a relay uses. If its process dies, at most this many recorded events are sent again. */
const ROWS_PER_BATCH = 500;
const TABLE_NAME = /^[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)?$/;

/**
 * Builds the statements of an outbox table.
 *
 * @throws AffkitConfigurationError if `name` needs quoting or `dialect` is unknown
 */
export function tableStatements(name: string, dialect: Dialect): TableStatements {
  if (!TABLE_NAME.test(name)) {
    throw configurationError(`table must be an unquoted SQL name such as affkit_outbox, got ${name}`);
  }
  if (!Object.hasOwn(TABLES, dialect)) {
    throw configurationError(`dialect must be postgres, sqlite or mysql, got ${dialect}`);
  }
  const { id, text, options } = TABLES[dialect];
  const withPlaceholders = (sql: string) => {
    let count = 0;
    return dialect === 'postgres' ? sql.replaceAll('?', () => `$${++count}`) : sql;
  };
  return {
    schema: [
      `create table if not exists ${name} (`,
      `  id ${id},`,
      '  operation varchar(16) not null,',
      `  body ${text} not null,`,
      `  refusal ${text}`,
      `)${options}`,
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
