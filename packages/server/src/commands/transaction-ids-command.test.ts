import { expect, test } from 'vitest';
import { describeChange } from './transaction-ids-command.ts';

test.each([
  [0, []],
  [1, ['1 id belongs to sales in several workspaces. Each workspace keeps its own sale.']],
  [2, ['2 ids belong to sales in several workspaces. Each workspace keeps its own sale.']],
])('after a change to "service", says that %d ids belong to several workspaces', (shared, lines) => {
  expect(describeChange('service', shared)).toEqual([
    'Transaction ids must now be unique in the whole service.',
    ...lines,
    'Start every server with TRANSACTION_IDS=service.',
  ]);
  expect(describeChange('workspace', shared)).toHaveLength(2);
});
