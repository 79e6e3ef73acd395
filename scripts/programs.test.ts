import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { findProgram, programVariables, type TestProgram } from './programs.ts';

const browser: TestProgram = {
  title: 'a browser',
  names: ['chromium', 'google-chrome'],
  paths: [],
  variable: 'BROWSER_PATH',
  packages: ['chromium'],
  howToInstall: 'Debian: apt-get install chromium',
};

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'affkit-programs-'));
  for (const name of ['chromium', 'google-chrome', 'my-browser']) writeFileSync(join(folder, name), '');
});

afterEach(() => rmSync(folder, { recursive: true }));

test('finds the first known program on the PATH', () => {
  expect(findProgram(browser, { PATH: [join(folder, 'empty'), folder].join(delimiter) })).toBe(
    join(folder, 'chromium'),
  );
});

test('prefers the path in the variable to the PATH', () => {
  const named = join(folder, 'my-browser');
  expect(findProgram(browser, { PATH: folder, BROWSER_PATH: named })).toBe(named);
});

test('finds nothing if the path in the variable does not exist', () => {
  expect(findProgram(browser, { PATH: folder, BROWSER_PATH: join(folder, 'missing') })).toBeUndefined();
});

test('finds a program at one of the additional paths if the program is not on the PATH', () => {
  const path = join(folder, 'my-browser');
  expect(findProgram({ ...browser, paths: [join(folder, 'missing'), path] }, { PATH: '' })).toBe(path);
});

test('tests use Chromium if the headless shell is missing', () => {
  const chromium = join(folder, 'chromium');
  expect(programVariables({ PATH: folder })).toMatchObject({ HEADLESS_SHELL_PATH: chromium });
  const shell = join(folder, 'chromium-headless-shell');
  writeFileSync(shell, '');
  expect(programVariables({ PATH: folder })).toMatchObject({
    CHROMIUM_PATH: chromium,
    HEADLESS_SHELL_PATH: shell,
  });
});
