import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const folder = import.meta.dirname;
const guide = readFileSync(join(folder, '../../../docs/guides/tracker.md'), 'utf8');
const [, table = ''] = guide.split('## Browser behavior that the tracker relies on');
const [, , ...rows] = [...table.matchAll(/^\|(.*)\|$/gm)].map(([, row = '']) =>
  row.split('|').map((cell) => cell.trim()),
);

it('reads the table of browser facts from the guide', () => {
  expect(rows.length).toBeGreaterThan(10);
});

it.each(rows)('the browser fact has a source and an existing test: %s', (_fact, source, test) => {
  expect(source).not.toBe('');
  const [, file = '', name = ''] = /^`([\w-]+)`: (.+)$/.exec(test ?? '') ?? [];
  const path = join(folder, `${file}.e2e.test.ts`);
  expect(existsSync(path)).toBe(true);
  expect(readFileSync(path, 'utf8')).toContain(name);
});
