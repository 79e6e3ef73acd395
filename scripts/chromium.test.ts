import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { findChromium } from './chromium.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'affkit-chromium-'));
  for (const name of ['chromium', 'google-chrome', 'my-browser']) writeFileSync(join(folder, name), '');
});

afterEach(() => rmSync(folder, { recursive: true }));

test('the first known browser on the PATH is taken', () => {
  expect(findChromium({ PATH: [join(folder, 'empty'), folder].join(delimiter) })).toBe(
    join(folder, 'chromium'),
  );
});

test('a browser that is named wins over the PATH', () => {
  const named = join(folder, 'my-browser');
  expect(findChromium({ PATH: folder, CHROMIUM_PATH: named })).toBe(named);
});

test('a browser that is named but missing is not replaced by another', () => {
  expect(findChromium({ PATH: folder, CHROMIUM_PATH: join(folder, 'missing') })).toBeUndefined();
});
