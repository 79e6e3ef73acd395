import { join } from 'node:path';
import { withDiskFault } from '../../../packages/core/test/durability/strace.ts';
import { sendRequests } from '../load.ts';
import { type RunningServer, withServers } from '../process.ts';
import { type Figure, type Section, withRatio } from '../report.ts';
import { runInterleaved } from '../run-interleaved.ts';
import {
  type DurableServer,
  PARTNER_CODE,
  prepareProgram,
  signIn,
  startDurableHttp,
  startExpress,
  startReference,
} from '../servers.ts';
import { visits } from '../visits.ts';
import { type Context, scaled } from './context.ts';

const ROUNDS = 9;
const AMOUNT = 1_000;
/** Additional time of each sync on the slower disk. */
const EXTRA_SYNC_MS = 2;
const TARGET = { most: 1.5 };

/** The two servers compared on one database and disk. */
interface Pair {
  readonly name: string;
  readonly bare: DurableServer;
  readonly affkit: RunningServer;
}

/** Measures single requests over one connection, so that no other request shares the commit. */
export async function latency(context: Context): Promise<Section> {
  const { folder, postgres } = context;
  const amount = scaled(AMOUNT, context);
  return await withServers(async (start) => {
    const pairOf = async (
      name: string,
      urls: readonly [string, string],
      commandPrefix: readonly string[] = [],
    ) => {
      const bare = await start(startDurableHttp(urls[0], { commandPrefix }));
      const affkit = await start(startReference(urls[1], { commandPrefix }));
      await prepareProgram(await signIn(affkit.url));
      return { name, bare, affkit };
    };
    const sqliteUrls = (name: string) =>
      ['bare', 'affkit'].map((of) => `sqlite:${join(folder, `${name}-${of}.db`)}`) as [string, string];
    const express = await start(startExpress());
    const pairs = [
      await pairOf('SQLite', sqliteUrls('quick')),
      await pairOf('Postgres', [await postgres.createDatabase(), await postgres.createDatabase()]),
    ];
    // strace, which delays the syncs of one process, exists only on Linux.
    if (process.platform === 'linux') {
      const slow = withDiskFault(`delay_enter=${EXTRA_SYNC_MS * 1000}`);
      pairs.push(await pairOf('SQLite, slower disk', sqliteUrls('slow'), slow));
    }

    const perRequest = (url: string) => async () => {
      const { perSecond } = await sendRequests(url, {
        requests: visits(PARTNER_CODE),
        amount,
        connections: 1,
      });
      return 1000 / perSecond;
    };
    const of = await runInterleaved<number>(
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
      text:
        'The mean time of a click when no other request is running, compared with a bare commit: one durable transaction that writes two rows of a click, without HTTP. ' +
        '"Over HTTP" is a plain `node:http` server that reads a body, makes this commit, and returns a constant. On Postgres, the bare commit takes four sequential statements, and a click takes one. ' +
        `On the slower disk, each sync takes ${EXTRA_SYNC_MS} ms longer. ${ROUNDS} alternating rounds of ${amount.toLocaleString('en')} requests.`,
      figures: [figure(of, EXPRESS), ...pairs.flatMap((pair) => figuresOf(of, pair))],
    };
  });
}

const EXPRESS = 'Express 5 (constant answer)';
const commitOf = (name: string) => `${name}: bare commit`;
const overHttpOf = (name: string) => `${name}: bare commit over HTTP`;
const clickOf = (name: string) => `${name}: click`;

function figuresOf(of: (name: string) => number[], { name }: Pair): Figure[] {
  const commit = figure(of, commitOf(name));
  const overHttp = figure(of, overHttpOf(name));
  const click = figure(of, clickOf(name));
  return [
    commit,
    withRatio(overHttp, commit),
    withRatio(click, commit, TARGET),
    withRatio({ ...click, name: `${click.name}, compared with HTTP` }, overHttp),
  ];
}

function figure(of: (name: string) => number[], name: string) {
  return { name, unit: 'ms', rounds: of(name) };
}
