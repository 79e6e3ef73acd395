import { configurationError } from '../errors.ts';

/** Runs a statement in your database and gives its rows, as plain objects with the columns' names. */
export type Query = (
  sql: string,
  values: readonly (string | number)[],
) => Promise<readonly object[]> | readonly object[];

export type Dialect = 'postgres' | 'sqlite';

/** The statements for one table. */
export interface Table {
  readonly schema: string;
  readonly insert: string;
  readonly list: string;
  readonly remove: string;
  readonly refuse: string;
}

const ID_COLUMNS: Readonly<Record<Dialect, string>> = {
  postgres: 'bigint generated always as identity primary key',
  sqlite: 'integer primary key autoincrement',
};
const NAME = /^[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)?$/;

export function makeTable(name: string, dialect: Dialect): Table {
  if (!NAME.test(name)) throw configurationError('table must be a plain name, e.g. affkit_outbox');
  if (!Object.hasOwn(ID_COLUMNS, dialect)) throw configurationError('dialect must be postgres or sqlite');
  const numbered = (sql: string) => {
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
    insert: numbered(`insert into ${name} (operation, body) values (?, ?)`),
    list: numbered(
      `select id, operation, body from ${name} where refusal is null and id > ? order by id limit 100`,
    ),
    remove: numbered(`delete from ${name} where id = ?`),
    refuse: numbered(`update ${name} set refusal = ? where id = ?`),
  };
}
