import { join } from 'node:path';
import { expect, test } from 'vitest';
import { defaultDatabaseUrl, nameDatabase, showDatabase } from './database-name.ts';

const folder = join(import.meta.dirname, 'data');

test.each([
  [defaultDatabaseUrl(folder), 'sqlite:affkit.db'],
  [`sqlite:${join(folder, 'sub', '..', 'affkit.db')}`, 'sqlite:affkit.db'],
  [`sqlite:${join(folder, '..', 'other.db')}`, `sqlite:${join(import.meta.dirname, 'other.db')}`],
  ['postgres://me:secret@db.example/shop?password=secret&sslmode=require', 'postgres://db.example:5432/shop'],
  ['postgresql://other:new@db.example:5432/shop', 'postgres://db.example:5432/shop'],
  ['postgres://db.example:5433/shop', 'postgres://db.example:5433/shop'],
  ['postgres:///shop?host=/run/postgresql&user=me', 'postgres:///run/postgresql:5432/shop'],
  ['postgres://me:secret@db.example', 'postgres://db.example:5432/me'],
])('%s is %s', (url, name) => {
  expect(nameDatabase(url, folder)).toBe(name);
});

test.each([
  ['sqlite:affkit.db', `sqlite:${join(folder, 'affkit.db')}`],
  [`sqlite:${join(import.meta.dirname, 'other.db')}`, `sqlite:${join(import.meta.dirname, 'other.db')}`],
  ['postgres://db.example:5432/shop', 'postgres://db.example:5432/shop'],
])('%s is shown as %s', (name, shown) => {
  expect(showDatabase(name, folder)).toBe(shown);
});

test.each(['mysql://me:secret@db.example/shop', 'postgres://me:secret@:x/', ''])(
  'nothing is kept of %j, which is no database that the server takes',
  (url) => {
    expect(nameDatabase(url, folder)).toBeUndefined();
  },
);
