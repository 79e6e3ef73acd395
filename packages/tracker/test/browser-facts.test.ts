import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const folder = import.meta.dirname;
const guide = readFileSync(join(folder, '../../../docs/guides/tracker.md'), 'utf8');
const [, table = ''] = guide.split('## Browser facts relied on');
const [, , ...rows] = [...table.matchAll(/^\|(.*)\|$/gm)].map(([, row = '']) =>
  row.split('|').map((cell) => cell.trim()),
);

it('there are facts that the tracker relies on', () => {
  expect(rows.length).toBeGreaterThan(10);
});

it.each(rows)('a fact of the guide has a source and a test that is there: %s', (_fact, source, test) => {
  expect(source).not.toBe('');
  const [, file = '', name = ''] = /^`([\w-]+)`: (.+)$/.exec(test ?? '') ?? [];
  const path = join(folder, `${file}.e2e.test.ts`);
  expect(existsSync(path)).toBe(true);
  expect(readFileSync(path, 'utf8')).toContain(name);
});
