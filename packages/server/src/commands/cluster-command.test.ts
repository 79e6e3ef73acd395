import { expect, test } from 'vitest';
import { describePlan, describeStatus } from './cluster-command.ts';

const STATUS = {
  citusVersion: '13.2-1',
  nodes: [
    { host: 'db-0', port: 5432, isCoordinator: true, isActive: true, shards: 0, bytes: 0 },
    { host: 'db-1', port: 5432, isCoordinator: false, isActive: false, shards: 32, bytes: 3 * 1024 ** 3 },
  ],
  tables: [
    { table: 'sales', placement: 'distributed by program_id', reason: 'an event', shards: 32, bytes: 1536 },
    { table: 'users', placement: 'local', reason: 'an account', shards: 0, bytes: 500 },
  ],
  foreignKeys: 32,
  preparedTransactions: 1,
  problems: [],
};

test('describes the servers and the tables of a cluster', () => {
  expect(describeStatus(STATUS)).toEqual([
    'Citus 13.2-1, 32 foreign keys, 1 prepared transactions',
    'coordinator db-0:5432: 0 shards, 0 bytes',
    'worker db-1:5432: not active, 32 shards, 3.0 GiB',
    'sales: distributed by program_id, 32 shards, 1.5 KiB',
    'users: local, 500 bytes',
    'All tables are as expected.',
  ]);
});

test('lists the problems, and the command that solves them', () => {
  expect(describeStatus({ ...STATUS, problems: ['sales is local'] }).slice(-2)).toEqual([
    'sales is local',
    'Run "affkit cluster init".',
  ]);
});

test('describes the moves of shards, with the statement that starts them', () => {
  expect(describePlan([])).toEqual(['The shards are balanced.']);
  expect(
    describePlan([{ table: 'sales', shard: 7, bytes: 2048, from: 'db-1:5432', to: 'db-2:5432' }]),
  ).toEqual([
    'sales, shard 7, 2.0 KiB: db-1:5432 to db-2:5432',
    '1 shards, 2.0 KiB. To move them: SELECT citus_rebalance_start();',
  ]);
});
