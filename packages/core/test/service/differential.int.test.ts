import fc from 'fast-check';
import { expect, test } from 'vitest';
import { postgresKinds, sqliteKinds } from '../support/engine-kinds.ts';
import { byDepth, propertyRuns } from '../support/test-depth.ts';
import { histories, makeReplica, play } from './differential.ts';

const RUNS = { short: 20, long: 2_000 };
const TIMEOUT_MS = 300_000 + byDepth(RUNS) * 1_000;

test(
  'SQLite and Postgres return the same responses to the same history, and all balances are correct',
  async () => {
    const sqlite = await makeReplica(await open(sqliteKinds, 'SQLite on disk'));
    const postgres = await makeReplica(await open(postgresKinds, 'Postgres'));
    let run = 0;
    try {
      await fc.assert(
        fc.asyncProperty(histories, async (history) => {
          const name = `run${run++}`;
          const log = await play(sqlite, name, history);
          expect(await play(postgres, name, history)).toEqual(log);
          expect(log.at(-2)).toEqual([]);
        }),
        propertyRuns(RUNS),
      );
    } finally {
      await sqlite.affkit.close();
      await postgres.affkit.close();
    }
  },
  TIMEOUT_MS,
);

async function open(kinds: typeof sqliteKinds, kind: string) {
  const opener = kinds[kind];
  if (!opener) throw new Error(`Unknown engine kind ${kind}`);
  return await opener();
}
