import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { findProgram, type TestProgram } from './programs.ts';

const browser: TestProgram = {
  title: 'a browser',
  names: ['chromium', 'google-chrome'],
  paths: [],
  variable: 'BROWSER_PATH',
  package: 'chromium',
  howToInstall: 'Debian: apt-get install chromium',
};

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'affkit-programs-'));
  for (const name of ['chromium', 'google-chrome', 'my-browser']) writeFileSync(join(folder, name), '');
});

afterEach(() => rmSync(folder, { recursive: true }));

test('the first known program on the PATH is taken', () => {
  expect(findProgram(browser, { PATH: [join(folder, 'empty'), folder].join(delimiter) })).toBe(
    join(folder, 'chromium'),
  );
});

test('a program that is named wins over the PATH', () => {
  const named = join(folder, 'my-browser');
  expect(findProgram(browser, { PATH: folder, BROWSER_PATH: named })).toBe(named);
});

test('a program that is named but missing is not replaced by another', () => {
  expect(findProgram(browser, { PATH: folder, BROWSER_PATH: join(folder, 'missing') })).toBeUndefined();
});

test('a program that is nowhere on the PATH is taken from where it may be besides', () => {
  const path = join(folder, 'my-browser');
  expect(findProgram({ ...browser, paths: [join(folder, 'missing'), path] }, { PATH: '' })).toBe(path);
});
