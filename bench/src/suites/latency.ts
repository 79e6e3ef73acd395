import { join } from 'node:path';
import { onDiskWith } from '../../../packages/core/test/durability/strace.ts';
import { fire } from '../load.ts';
import { type RunningServer, withServers } from '../process.ts';
import { compared, type Figure, type Section } from '../report.ts';
import {
  CODE,
  type DurableServer,
  prepareProgram,
  signIn,
  startDurableHttp,
  startExpress,
  startReference,
} from '../subject.ts';
import { takeTurns } from '../turns.ts';
import { visits } from '../visits.ts';
import { type Context, scaled } from './context.ts';

const ROUNDS = 9;
const AMOUNT = 1_000;
/** How much longer each sync of the slower disk takes. */
const FURTHER_SYNC_MS = 2;
const TARGET = { most: 1.5 };

/** One database on one disk: what is measured on it. */
interface Pair {
  readonly name: string;
  readonly bare: DurableServer;
  readonly affkit: RunningServer;
}

/** One connection at a time: nobody to share a commit with. */
export async function latency(context: Context): Promise<Section> {
  const { folder, postgres } = context;
  const amount = scaled(AMOUNT, context);
  return await withServers(async (start) => {
    const pairOf = async (name: string, urls: readonly [string, string], through: readonly string[] = []) => {
      const bare = await start(startDurableHttp(urls[0], { through }));
      const affkit = await start(startReference(urls[1], { through }));
      await prepareProgram(await signIn(affkit.url));
      return { name, bare, affkit };
    };
    const sqlite = (name: string) =>
      ['bare', 'affkit'].map((of) => `sqlite:${join(folder, `${name}-${of}.db`)}`) as [string, string];
    const express = await start(startExpress());
    const pairs = [
      await pairOf('SQLite', sqlite('quick')),
      await pairOf('Postgres', [await postgres.createDatabase(), await postgres.createDatabase()]),
    ];
    // No other system has what slows a disk down for one process.
    if (process.platform === 'linux') {
      const slow = onDiskWith(`delay_enter=${FURTHER_SYNC_MS * 1000}`);
      pairs.push(await pairOf('SQLite, slower disk', sqlite('slow'), slow));
    }

    const perRequest = (url: string) => async () => {
      const { perSecond } = await fire(url, { requests: visits(CODE), amount, connections: 1 });
      return 1000 / perSecond;
    };
    const of = await takeTurns<number>(
      ROUNDS,
      [
        { name: EXPRESS, run: perRequest(express.url) },
        ...pairs.flatMap(({ name, bare, affkit }) => [
          { name: commitOf(name), run: () => bare.commitMs(amount) },
          { name: overHttpOf(name), run: perRequest(bare.url) },
          { name: clickOf(name), run: perRequest(affkit.url) },
        ]),
      ],
      (ms) => `${ms.toFixed(2)} ms`,
    );
    return {
      id: 'latency',
      title: 'One click at a time',
      text: `${amount.toLocaleString('en')} requests a round over one connection, ${ROUNDS} rounds in turns, mean time of one. A bare commit writes two rows of a click in a durable transaction of their own, without HTTP; over HTTP, \`node:http\` alone reads a body, makes that commit, and answers a constant. On Postgres it takes four statements, of which each waits for the one before; a click is one. On the slower disk each sync takes ${FURTHER_SYNC_MS} ms longer.`,
      figures: [figure(of, EXPRESS), ...pairs.flatMap((pair) => figuresOf(of, pair))],
    };
  });
}

const EXPRESS = 'Express 5, constant answer';
const commitOf = (name: string) => `${name}: bare commit`;
const overHttpOf = (name: string) => `${name}: bare commit over HTTP`;
const clickOf = (name: string) => `${name}: click`;

function figuresOf(of: (name: string) => number[], { name }: Pair): Figure[] {
  const commit = figure(of, commitOf(name));
  const overHttp = figure(of, overHttpOf(name));
  const click = figure(of, clickOf(name));
  return [
    commit,
    compared(overHttp, commit),
    compared(click, commit, TARGET),
    compared({ ...click, name: `${click.name}, to that over HTTP` }, overHttp),
  ];
}

function figure(of: (name: string) => number[], name: string) {
  return { name, unit: 'ms', rounds: of(name) };
}
