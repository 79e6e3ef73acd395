import { join } from 'node:path';
import { type ClientsResult, clickRequests, runClients } from '../clients.ts';
import { residentMemoryOf } from '../cpu-time.ts';
import type { RunningServer } from '../process.ts';
import { type Figure, quantile, type Section, withRatio } from '../report.ts';
import { PARTNER_CODE, prepareProgram, signIn, startReference } from '../servers.ts';
import { type Context, scaled } from './context.ts';

const FEW = 64;
/** Numbers of clients. The first is four times `FEW`; the other two are far beyond the server's capacity. */
const MANY = [256, 4_000, 9_000];
const SECONDS = 8;
const ROUNDS = 3;
/** The server has recovered when a single click takes at most this long. */
const RECOVERED_MS = 50;
const MEBIBYTE = 2 ** 20;

interface OverloadRound extends ClientsResult {
  readonly memory: number;
  readonly recoveryMs: number;
}

/** Measures clicks beyond the capacity of the server. */
export async function overload(context: Context): Promise<Section> {
  const seconds = scaled(SECONDS, context);
  return {
    id: 'overload',
    title: 'Beyond capacity',
    text:
      'Acknowledged clicks per second when more clients send clicks than the server can answer. Each client sends its next click when it has the response, and waits for `Retry-After` after a 503. ' +
      `Recovery is the time from the end of the load until a single click takes at most ${RECOVERED_MS} ms. Every acknowledged click is stored once. ${ROUNDS} rounds of ${seconds} s.`,
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
    const requests = clickRequests(server.url, PARTNER_CODE);
    const results = new Map<number, OverloadRound[]>([FEW, ...MANY].map((clients) => [clients, []]));
    let acknowledged = 0;
    // The first round warms up.
    for (let round = 0; round <= ROUNDS; round++) {
      for (const [clients, measured] of results) {
        const result = await runClients([server.url], requests, { clients, seconds });
        const recovery = await recover(server, requests);
        acknowledged += result.acknowledged + recovery.acknowledged;
        if (result.faults > 0)
          throw new Error(`Invalid measurement: ${result.faults} faults with ${clients} clients`);
        const rate = Math.round(result.acknowledged / result.seconds);
        process.stderr.write(`  ${kind}, ${clients} clients: ${rate}/s, ${result.rejected} rejected\n`);
        const memory = residentMemoryOf(server.pid) ?? Number.NaN;
        if (round > 0) measured.push({ ...result, memory, recoveryMs: recovery.ms });
      }
    }
    await program.requireClicks(acknowledged);
    return [...results].flatMap(([clients, measured]) =>
      describe(`${kind}, ${clients.toLocaleString('en')} clients`, measured, results.get(FEW) ?? []),
    );
  } finally {
    await server.stop();
  }
}

function describe(name: string, measured: readonly OverloadRound[], few: readonly OverloadRound[]): Figure[] {
  const rates = (of: readonly OverloadRound[]) => of.map((result) => result.acknowledged / result.seconds);
  const figure = (what: string, unit: string, pick: (result: OverloadRound) => number): Figure => ({
    name: `${name}: ${what}`,
    unit,
    rounds: measured.map(pick),
  });
  const rate = { name: `${name}: acknowledged`, unit: '/s', rounds: rates(measured) };
  return [
    measured === few
      ? rate
      : withRatio(rate, { name: `the rate of ${FEW} clients`, rounds: rates(few) }, { least: 0.9 }),
    figure('p99', 'ms', (result) => quantile(result.acknowledgedMs, 0.99)),
    ...(measured.some((result) => result.rejected > 0)
      ? [
          figure('rejected', '', (result) => result.rejected),
          figure('rejected after, p99', 'ms', (result) => quantile(result.rejectedMs, 0.99)),
        ]
      : []),
    figure('memory', 'MB', (result) => result.memory / MEBIBYTE),
    { ...figure('recovery', 'ms', (result) => result.recoveryMs), target: { most: 1000 } },
  ];
}

/**
 * Sends single clicks until one takes at most `RECOVERED_MS`.
 * @returns the time until then, and the number of acknowledged clicks
 */
async function recover(
  server: RunningServer,
  requests: readonly Buffer[],
): Promise<{ ms: number; acknowledged: number }> {
  const begin = performance.now();
  for (let acknowledged = 0; ; ) {
    const single = await runClients([server.url], requests, { clients: 1, seconds: 0 });
    acknowledged += single.acknowledged;
    const [ms] = single.acknowledgedMs;
    if (ms !== undefined && ms <= RECOVERED_MS) return { ms: performance.now() - begin, acknowledged };
  }
}
