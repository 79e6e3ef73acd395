import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { mutations, requirements } from './mutations.ts';

const read = (path: string) => readFileSync(join(import.meta.dirname, '..', path), 'utf8');

it('each requirement has a mutation', () => {
  const mutated = new Set(mutations.map(({ requirement }) => String(requirement)));
  expect(Object.keys(requirements).filter((requirement) => !mutated.has(requirement))).toEqual([]);
});

it.each(mutations)('the mutation matches the source once and its test exists: $removes', (mutation) => {
  const { file, find, replace, detectedBy: by } = mutation;
  expect(read(file).split(find)).toHaveLength(2);
  expect(replace).not.toBe(find);
  if (by === 'the build') return;
  const [testFile, name] = by;
  const path = `test/${testFile}.e2e.test.ts`;
  expect(existsSync(join(import.meta.dirname, '..', path))).toBe(true);
  expect(read(path)).toContain(name);
});
