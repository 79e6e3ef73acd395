import fc from 'fast-check';
import { expect, test } from 'vitest';
import { memoryKinds, newSqliteKinds } from '../support/engine-kinds.ts';
import { byDepth, propertyRuns } from '../support/test-depth.ts';
import { histories, makeReplica, play } from './differential.ts';

const RUNS = { short: 8, long: 2_000 };

test(
  'two SQLite databases return the same responses to the same history, and all balances are correct',
  async () => {
    const memory = await makeReplica(await open('SQLite in memory'));
    const disk = await makeReplica(await open('SQLite on disk'));
    let run = 0;
    await fc.assert(
      fc.asyncProperty(histories, async (history) => {
        const name = `run${run++}`;
        const log = await play(memory, name, history);
        expect(await play(disk, name, history)).toEqual(log);
        expect(log.at(-2)).toEqual([]);
      }),
      propertyRuns(RUNS),
    );
    await memory.affkit.close();
    await disk.affkit.close();
  },
  60_000 + byDepth(RUNS) * 1_000,
);

async function open(kind: string) {
  const opener = { ...memoryKinds, ...newSqliteKinds }[kind];
  if (!opener) throw new Error(`Unknown engine kind ${kind}`);
  return await opener();
}
