import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { mutations, requirements } from './mutations.ts';

const read = (path: string) => readFileSync(join(import.meta.dirname, '..', path), 'utf8');

it('each point has a behaviour that is taken out', () => {
  const taken = new Set(mutations.map(({ requirement: point }) => String(point)));
  expect(Object.keys(requirements).filter((point) => !taken.has(point))).toEqual([]);
});

it.each(mutations)('what is taken out is in the code once, and its test is there: $without', (mutation) => {
  const { file, find, replace, detectedBy: by } = mutation;
  expect(read(file).split(find)).toHaveLength(2);
  expect(replace).not.toBe(find);
  if (by === 'the build') return;
  const [testFile, name] = by;
  const path = `test/${testFile}.e2e.test.ts`;
  expect(existsSync(join(import.meta.dirname, '..', path))).toBe(true);
  expect(read(path)).toContain(name);
});
