import { join } from 'node:path';
import { type Crowd, clickRequests, runCrowd } from '../clients.ts';
import { residentMemoryOf } from '../cpu-time.ts';
import type { RunningServer } from '../process.ts';
import { compared, type Figure, quantile, type Section } from '../report.ts';
import { CODE, prepareProgram, signIn, startReference } from '../subject.ts';
import { type Context, scaled } from './context.ts';

const FEW = 64;
/** Four times as many, and crowds. */
const MANY = [256, 4_000, 9_000];
const SECONDS = 8;
const ROUNDS = 3;
/** How soon a click is answered by a server that has nothing else to do. */
const PROMPT_MS = 50;
const MEBIBYTE = 2 ** 20;

interface Taken extends Crowd {
  readonly memory: number;
  readonly recoveryMs: number;
}

/** Clicks beyond capacity. */
export async function overload(context: Context): Promise<Section> {
  const seconds = scaled(SECONDS, context);
  return {
    id: 'overload',
    title: 'Beyond capacity',
    text:
      `Crowds of clients that send the next click when they have the reply, and after a 503 wait as long as it says; ${ROUNDS} rounds of ${seconds} s. ` +
      'Recovery is the time from the end of a crowd until a lone click is answered within 50 ms. Every acknowledged click is stored once.',
    figures: [
      ...(await figuresOf('SQLite', `sqlite:${join(context.folder, 'overload.db')}`, seconds)),
      ...(await figuresOf('Postgres', await context.postgres.createDatabase(), seconds)),
    ],
  };
}

async function figuresOf(kind: string, databaseUrl: string, seconds: number): Promise<Figure[]> {
  const server = await startReference(databaseUrl);
  try {
    const program = await prepareProgram(await signIn(server.url));
    const requests = clickRequests(server.url, CODE);
    const results = new Map<number, Taken[]>([FEW, ...MANY].map((clients) => [clients, []]));
    let acknowledged = 0;
    // The first round warms up.
    for (let round = 0; round <= ROUNDS; round++) {
      for (const [clients, taken] of results) {
        const crowd = await runCrowd([server.url], requests, { clients, seconds });
        const recovery = await recover(server, requests);
        acknowledged += crowd.acknowledged + recovery.acknowledged;
        if (crowd.faults > 0) throw new Error(`${crowd.faults} of ${clients} clients met a fault`);
        const rate = Math.round(crowd.acknowledged / crowd.seconds);
        process.stderr.write(`  ${kind}, ${clients} clients: ${rate}/s, ${crowd.refused} refused\n`);
        const memory = residentMemoryOf(server.pid) ?? Number.NaN;
        if (round > 0) taken.push({ ...crowd, memory, recoveryMs: recovery.ms });
      }
    }
    const stored = await program.countClicks();
    if (stored !== acknowledged) {
      throw new Error(`${acknowledged} clicks were acknowledged, ${stored} are stored`);
    }
    return [...results].flatMap(([clients, taken]) =>
      describe(`${kind}, ${clients.toLocaleString('en')} clients`, taken, results.get(FEW) ?? []),
    );
  } finally {
    await server.stop();
  }
}

function describe(name: string, taken: readonly Taken[], few: readonly Taken[]): Figure[] {
  const rates = (of: readonly Taken[]) => of.map((crowd) => crowd.acknowledged / crowd.seconds);
  const figure = (what: string, unit: string, pick: (crowd: Taken) => number): Figure => ({
    name: `${name}: ${what}`,
    unit,
    rounds: taken.map(pick),
  });
  const rate = { name: `${name}: acknowledged`, unit: '/s', rounds: rates(taken) };
  return [
    taken === few ? rate : compared(rate, { name: `of ${FEW} clients`, rounds: rates(few) }, { least: 0.9 }),
    figure('p99', 'ms', (crowd) => quantile(crowd.acknowledgedMs, 0.99)),
    ...(taken.some((crowd) => crowd.refused > 0)
      ? [
          figure('refused', '', (crowd) => crowd.refused),
          figure('refused after, p99', 'ms', (crowd) => quantile(crowd.refusedMs, 0.99)),
        ]
      : []),
    figure('memory', 'MB', (crowd) => crowd.memory / MEBIBYTE),
    { ...figure('recovery', 'ms', (crowd) => crowd.recoveryMs), target: { most: 1000 } },
  ];
}

/** How long after the crowd has gone a lone click is answered promptly again. */
async function recover(
  server: RunningServer,
  requests: readonly Buffer[],
): Promise<{ ms: number; acknowledged: number }> {
  const begin = performance.now();
  for (let acknowledged = 0; ; ) {
    const lone = await runCrowd([server.url], requests, { clients: 1, seconds: 0 });
    acknowledged += lone.acknowledged;
    const [ms] = lone.acknowledgedMs;
    if (ms !== undefined && ms <= PROMPT_MS) return { ms: performance.now() - begin, acknowledged };
  }
}
