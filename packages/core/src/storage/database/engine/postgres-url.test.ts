import { expect, test } from 'vitest';
import { postgresEngine } from '../../postgres.ts';

const open = (connectionString: unknown) =>
  // The cast is needed because JavaScript callers can pass any value.
  postgresEngine({ connectionString } as { connectionString: string });

const FORMAT = 'postgres://user:password@host:port/database';

test.each([
  [undefined, `connectionString is missing: it must be ${FORMAT}`],
  ['', `connectionString is empty: it must be ${FORMAT}`],
  [' ', `connectionString is empty: it must be ${FORMAT}`],
  ['nope', `connectionString must begin with postgres:// or postgresql://: ${FORMAT}`],
  ['mysql://shop.example/db', `connectionString must begin with postgres:// or postgresql://: ${FORMAT}`],
])('rejects the connection string %j, which the driver would read as a local database', (given, message) => {
  expect(() => open(given)).toThrow(new RangeError(message));
});

test.each(['pa#ss', '12#34', 'pa/ss', '12/34', 'pa?ss', '12?34', '#', 'pa@/ss', 'pa@/?ss'])(
  'rejects the unencoded password %s with a message that does not contain the password',
  (password) => {
    const message = `connectionString is not a valid URL of the form ${FORMAT}: percent-encode characters such as @ and # in the password`;
    expect(() => open(`postgres://user:${password}@db.example:5432/affkit`)).toThrow(new RangeError(message));
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
  'postgres://user:password@/affkit?host=/var/run/postgresql&application_name=shop@server',
  'postgres://%2Fvar%2Frun%2Fpostgresql/affkit',
])('accepts %s', async (connectionString) => {
  await open(connectionString).close();
});
