import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
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

test('returns a configured secret and writes no file', () => {
  expect(resolveSecret('configured', sqlite(join(folder, 'data/a.db')))).toBe('configured');
  expect(readdirSync(join(folder, 'data'))).toEqual([]);
});

test('creates a secret with mode 0600 on the first start and reads it on later starts', () => {
  const path = join(folder, 'data/a.db');
  const secret = resolveSecret(undefined, sqlite(path));
  expect(secret).toMatch(/^[\w-]{43}$/);
  expect(resolveSecret(undefined, sqlite(path))).toBe(secret);
  expect(readdirSync(join(folder, 'data'))).toEqual(['a.db.secret']);
  expect(statSync(`${path}.secret`).mode & 0o777).toBe(0o600);
  expect(statSync(join(folder, 'data')).mode & 0o777).toBe(0o700);
});

test('resets the mode of an existing secret file to 0600', () => {
  const path = join(folder, 'a.db');
  resolveSecret(undefined, sqlite(path));
  chmodSync(`${path}.secret`, 0o644);
  resolveSecret(undefined, sqlite(path));
  expect(statSync(`${path}.secret`).mode & 0o777).toBe(0o600);
});

test('rejects an empty secret file and does not overwrite it', () => {
  const path = join(folder, 'a.db');
  writeFileSync(`${path}.secret`, '\n');
  expect(() => resolveSecret(undefined, sqlite(path))).toThrow(
    /^AFFKIT_SECRET .*a\.db\.secret has fewer than 32 characters/,
  );
  expect(readFileSync(`${path}.secret`, 'utf8')).toBe('\n');
});

test('the error names AFFKIT_SECRET when the secret file cannot be read', () => {
  const path = join(folder, 'a.db');
  mkdirSync(`${path}.secret`);
  expect(() => resolveSecret(undefined, sqlite(path))).toThrow(
    /^AFFKIT_SECRET is not set, and .*a\.db\.secret can't be used: EISDIR/,
  );
  expect(readdirSync(folder)).toEqual(['a.db.secret']);
});

test('the error names DATABASE_URL when the folder cannot be created', () => {
  writeFileSync(join(folder, 'file'), '');
  expect(() => resolveSecret(undefined, sqlite(join(folder, 'file/data/a.db')))).toThrow(/^DATABASE_URL /);
});

test('generates a new secret for each in-memory database', () => {
  expect(resolveSecret(undefined, sqlite(':memory:'))).not.toBe(resolveSecret(undefined, sqlite(':memory:')));
});
