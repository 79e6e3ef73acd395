import { join } from 'node:path';
import { residentMemoryOf } from '../cpu-time.ts';
import { sendRequests } from '../load.ts';
import type { Figure, Section } from '../report.ts';
import { PARTNER_CODE, prepareProgram, signIn, startReference } from '../servers.ts';
import { visits } from '../visits.ts';
import { type Context, scaled } from './context.ts';

const STARTS = 9;
const CLICKS = 1_000_000;
const STEP = 100_000;
const MEBIBYTE = 2 ** 20;

/** Measures the start time of the reference server, and its memory after a million clicks. */
export async function start(context: Context): Promise<Section> {
  const { folder, postgres } = context;
  const kinds = [
    { kind: 'SQLite', make: async (name: string) => `sqlite:${join(folder, `${name}.db`)}` },
    { kind: 'Postgres', make: () => postgres.createDatabase() },
  ];
  const amount = scaled(CLICKS, context);
  const figures: Figure[] = [];
  for (const { kind, make } of kinds) {
    const fresh: number[] = [];
    const again: number[] = [];
    for (let round = 0; round < STARTS; round++) {
      const url = await make(`start-${round}`);
      fresh.push(await timeStart(url));
      again.push(await timeStart(url));
    }
    figures.push(
      { name: `start to listening, new database, ${kind}`, unit: 'ms', rounds: fresh },
      { name: `start to listening, ${kind}`, unit: 'ms', rounds: again, target: { most: 1000 } },
    );
    const memory = await memoryAfter(await make('memory'), amount);
    const [before = Number.NaN, ...later] = memory;
    figures.push(
      { name: `memory before the first click, ${kind}`, unit: 'MB', rounds: [before] },
      {
        name: `memory during ${amount.toLocaleString('en')} clicks, ${kind}`,
        unit: 'MB',
        rounds: later,
      },
      {
        name: `memory after these clicks, ${kind}`,
        unit: 'MB',
        rounds: later.slice(-1),
        target: { most: 250 },
      },
    );
  }
  return {
    id: 'start',
    title: 'Start and memory',
    text: `The time from the start of the process until the server listens, in ${STARTS} starts. Then the resident memory of another server process, read before the first click and after every ${STEP.toLocaleString('en')} clicks.`,
    figures,
  };
}

async function timeStart(databaseUrl: string): Promise<number> {
  const server = await startReference(databaseUrl);
  await server.stop();
  return server.startedMs;
}

/** @returns the memory in MB before the first click, and after every `STEP` clicks */
async function memoryAfter(databaseUrl: string, amount: number): Promise<number[]> {
  const server = await startReference(databaseUrl);
  try {
    await prepareProgram(await signIn(server.url));
    const read = () => (residentMemoryOf(server.pid) ?? Number.NaN) / MEBIBYTE;
    const memory = [read()];
    for (let done = 0; done < amount; done += STEP) {
      await sendRequests(server.url, {
        requests: visits(PARTNER_CODE),
        amount: Math.min(STEP, amount - done),
        connections: 64,
      });
      memory.push(read());
    }
    return memory;
  } finally {
    await server.stop();
  }
}
