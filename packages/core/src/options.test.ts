import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { type AffkitOptions, checkOptions } from './options.ts';

const README = readFileSync(new URL('../README.md', import.meta.url), 'utf8');

/** Returns the names of all options. The error about an unknown option lists them. */
function knownOptions(): string[] {
  try {
    checkOptions({ unknown: true } as unknown as AffkitOptions);
  } catch (error) {
    const [, names = ''] = /Known options: (.+)\.$/.exec(String(error)) ?? [];
    return names.split(', ');
  }
  throw new Error('An unknown option was accepted');
}

test('the README lists every option, and no others', () => {
  const [section = ''] = README.slice(README.indexOf('\n## Options\n')).split('\n## Engines\n', 1);
  const names = section
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .flatMap((line) => line.split('|', 2)[1]?.match(/\w+/g) ?? []);
  expect(names.sort()).toEqual(knownOptions().sort());
});
