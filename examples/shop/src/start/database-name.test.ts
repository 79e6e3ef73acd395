import { join } from 'node:path';
import { expect, test } from 'vitest';
import { defaultDatabaseUrl, describeDatabase, normalizeDatabaseUrl } from './database-name.ts';

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
])('normalizes %s to %s', (url, name) => {
  expect(normalizeDatabaseUrl(url, folder)).toBe(name);
});

test.each([
  ['sqlite:affkit.db', `sqlite:${join(folder, 'affkit.db')}`],
  [`sqlite:${join(import.meta.dirname, 'other.db')}`, `sqlite:${join(import.meta.dirname, 'other.db')}`],
  ['postgres://db.example:5432/shop', 'postgres://db.example:5432/shop'],
])('describes %s as %s', (name, shown) => {
  expect(describeDatabase(name, folder)).toBe(shown);
});

test.each(['mysql://me:secret@db.example/shop', 'postgres://me:secret@:x/', ''])(
  'returns undefined for %j, which the server does not accept',
  (url) => {
    expect(normalizeDatabaseUrl(url, folder)).toBeUndefined();
  },
);
