import fc from 'fast-check';
import { expect, test } from 'vitest';
import { sqliteKinds } from '../support/engine-kinds.ts';
import { histories, makeReplica, play } from './differential.ts';

const RUNS = Number(process.env['AFFKIT_HISTORY_RUNS'] ?? 30);

test('two SQLite databases return the same responses, and all balances are correct', async () => {
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
    { numRuns: RUNS },
  );
  await memory.affkit.close();
  await disk.affkit.close();
});

async function open(kind: string) {
  const opener = sqliteKinds[kind];
  if (!opener) throw new Error(`Unknown engine kind ${kind}`);
  return await opener();
}
