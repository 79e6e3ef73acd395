import { expect, test } from 'vitest';
import { findQueryProblems } from './queries.ts';

const CALLS = ['.selectFrom(', '.insertInto(', '.updateTable(', '.deleteFrom('];

test.each([
  'packages/core/src/storage/links.ts',
  'packages/core/src/tracking/track-click.test.ts',
  'packages/core/test/world.ts',
  'bench/src/main.ts',
])('%s may contain queries', (path) => {
  expect(findQueryProblems(CALLS.map((call) => ({ path, text: `db${call}'links')` })))).toEqual([]);
});

test.each(CALLS)('a use case must not call %s', (call) => {
  const path = 'packages/core/src/tracking/track-click.ts';
  expect(findQueryProblems([{ path, text: `await runtime.engine.read\n  ${call}'links')` }])).toEqual([
    `${path} calls ${call}): move the query to storage`,
  ]);
});
