import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { resolveSecret } from './secret.ts';

let folder = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'affkit-secret-'));
});

afterEach(() => rmSync(folder, { recursive: true }));

const sqlite = (path: string) => ({ kind: 'sqlite', path }) as const;

test('a secret of the environment is used as it is, and none is written', () => {
  expect(resolveSecret('given', sqlite(join(folder, 'data/a.db')))).toBe('given');
  expect(readdirSync(join(folder, 'data'))).toEqual([]);
});

test('the first start makes a secret for its owner alone, later ones read it', () => {
  const path = join(folder, 'data/a.db');
  const secret = resolveSecret(undefined, sqlite(path));
  expect(secret).toMatch(/^[\w-]{43}$/);
  expect(resolveSecret(undefined, sqlite(path))).toBe(secret);
  expect(readdirSync(join(folder, 'data'))).toEqual(['a.db.secret']);
  expect(statSync(`${path}.secret`).mode & 0o777).toBe(0o600);
  expect(statSync(join(folder, 'data')).mode & 0o777).toBe(0o700);
});

test('a secret that others could read is closed to them', () => {
  const path = join(folder, 'a.db');
  resolveSecret(undefined, sqlite(path));
  chmodSync(`${path}.secret`, 0o644);
  resolveSecret(undefined, sqlite(path));
  expect(statSync(`${path}.secret`).mode & 0o777).toBe(0o600);
});

test('a file without a secret in it is refused, not replaced', () => {
  const path = join(folder, 'a.db');
  writeFileSync(`${path}.secret`, '\n');
  expect(() => resolveSecret(undefined, sqlite(path))).toThrow(
    /^AFFKIT_SECRET .*a\.db\.secret holds no secret/,
  );
  expect(readFileSync(`${path}.secret`, 'utf8')).toBe('\n');
});

test('a folder that cannot be made is named with its variable', () => {
  writeFileSync(join(folder, 'file'), '');
  expect(() => resolveSecret(undefined, sqlite(join(folder, 'file/data/a.db')))).toThrow(/^DATABASE_URL /);
});

test('a database in memory has a secret of its own each time', () => {
  expect(resolveSecret(undefined, sqlite(':memory:'))).not.toBe(resolveSecret(undefined, sqlite(':memory:')));
});
