import { expect, test } from 'vitest';
import { postgresEngine } from '../../postgres.ts';

const open = (connectionString: unknown) =>
  // What JavaScript lets pass.
  postgresEngine({ connectionString } as { connectionString: string });

const FORM = 'postgres://user:password@host:port/database';

test.each([
  [undefined, `connectionString is missing: it must be ${FORM}`],
  ['', `connectionString is empty: it must be ${FORM}`],
  [' ', `connectionString is empty: it must be ${FORM}`],
  ['nope', `connectionString must begin with postgres:// or postgresql://: ${FORM}`],
  ['mysql://shop.example/db', `connectionString must begin with postgres:// or postgresql://: ${FORM}`],
])('refuses the connection string %j, which would be the database of this machine', (given, problem) => {
  expect(() => open(given)).toThrow(new RangeError(problem));
});

test.each(['pa#ss', '12#34', 'pa/ss', '12/34', 'pa?ss', '12?34', '#'])(
  'says of the password %s how it is written, and does not tell it',
  (password) => {
    const problem = `connectionString can't be read as ${FORM}: characters such as @ and # in the password must be percent-encoded`;
    expect(() => open(`postgres://user:${password}@db.example:5432/affkit`)).toThrow(new RangeError(problem));
  },
);

test.each([
  'postgres://user:password@db.example:5432/affkit',
  'postgresql://db.example/affkit?sslmode=require',
  'postgres://user:pa%40s%23s@db.example/affkit',
  'postgres://user:pa@ss@db.example/affkit',
  'postgres:///affkit?host=/var/run/postgresql',
  'postgres:///affkit?host=/var/run/postgresql&user=shop@server',
  'postgres://user:password@/affkit?host=/var/run/postgresql',
  'postgres://%2Fvar%2Frun%2Fpostgresql/affkit',
])('takes %s', async (connectionString) => {
  await open(connectionString).close();
});
