import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { startProcess } from '../process.ts';
import { type Figure, type Section, withRatio } from '../report.ts';
import type { CallRounds } from '../sdk/calls.ts';
import type { MemoryUse } from '../sdk/memory.ts';
import type { TransportName } from '../sdk/sale-senders.ts';
import { type Context, scaled } from './context.ts';

const ROUNDS = 21;
const CALLS = 5_000;
const MEMORY_CALLS = 100_000;
const IMPORTS = 21;
/** Minimum speed of calls through the SDK, as a share of the speed of its transport without the SDK. */
const MIN_SPEED_RATIO = 0.85;
/** Minimum number of events that the relay of an outbox sends per second. */
const MIN_RELAYED_PER_SECOND = 2_000;
const MEBIBYTE = 2 ** 20;

/** Measures the overhead of the SDK over its transport. Client and server run in separate processes. */
export async function sdk(context: Context): Promise<Section> {
  const server = await startProcess(fileURLToPath(new URL('../sdk/server.ts', import.meta.url)), {});
  try {
    const calls = scaled(CALLS, context);
    const memoryCalls = scaled(MEMORY_CALLS, context);
    return {
      id: 'sdk',
      title: 'The Node SDK',
      text:
        'Sale calls with the SDK, compared with the same calls over the same transport without the SDK. ' +
        'The relay of an outbox reads the sales from SQLite in memory, and deletes those that the server accepted. ' +
        `Memory is measured after garbage collection, before and after ${memoryCalls.toLocaleString('en')} calls. Each import runs in a new process. ` +
        `${ROUNDS} alternating rounds of ${calls.toLocaleString('en')} calls.`,
      figures: [
        ...(await compareCalls('fetch', 'global fetch', server.url, calls)),
        ...(await compareCalls('undici', 'undici.request', server.url, calls)),
        ...(await compareRelay(server.url, calls)),
        ...(await memoryOf('fetch', server.url, memoryCalls)),
        ...(await memoryOf('undici', server.url, memoryCalls)),
        ...(await compareImports()),
      ],
    };
  } finally {
    await server.stop();
  }
}

async function compareCalls(
  transport: TransportName,
  bareName: string,
  url: string,
  calls: number,
): Promise<Figure[]> {
  process.stderr.write(`  calls over ${transport}\n`);
  const { bare, sdk: ours } = await runScript<CallRounds>('calls.ts', [
    transport,
    url,
    `${ROUNDS}`,
    `${calls}`,
  ]);
  const speed = (name: string, rounds: CallRounds['sdk']) => ({
    name,
    unit: 'calls/s',
    rounds: rounds.map((round) => round.callsPerSecond),
  });
  const cpu = (name: string, rounds: CallRounds['sdk']) => ({
    name: `${name}: CPU time of a call`,
    unit: 'µs',
    rounds: rounds.map((round) => round.cpuMicrosPerCall),
  });
  const name = `SDK on ${transport}`;
  return [
    speed(bareName, bare),
    withRatio(speed(name, ours), speed(bareName, bare), { least: MIN_SPEED_RATIO }),
    cpu(bareName, bare),
    withRatio(cpu(name, ours), cpu(bareName, bare), { most: 1 / MIN_SPEED_RATIO }),
  ];
}

/** Relays sales from an outbox, compared with the same sales sent by `fetch` without an outbox. */
async function compareRelay(url: string, events: number): Promise<Figure[]> {
  process.stderr.write('  relay of an outbox\n');
  const { bare, sdk: relay } = await runScript<CallRounds>('relay.ts', [url, `${ROUNDS}`, `${events}`]);
  const speed = (name: string, rounds: CallRounds['sdk']) => ({
    name,
    unit: 'events/s',
    rounds: rounds.map((round) => round.callsPerSecond),
  });
  const baseline = speed('global fetch without an outbox', bare);
  const relayed = speed('relay of an outbox', relay);
  const name = `${relayed.name}, compared with fetch`;
  return [
    baseline,
    { ...relayed, target: { least: MIN_RELAYED_PER_SECOND } },
    withRatio({ ...relayed, name }, baseline),
  ];
}

async function memoryOf(transport: TransportName, url: string, calls: number): Promise<Figure[]> {
  process.stderr.write(`  memory over ${transport}\n`);
  const use = await runScript<MemoryUse>('memory.ts', [transport, 'sdk', url, `${calls}`]);
  const figure = (name: string, bytes: number): Figure => ({
    name: `SDK on ${transport}: ${name}`,
    unit: 'MB',
    rounds: [bytes / MEBIBYTE],
  });
  const before = figure('heap before', use.heapBefore);
  return [
    before,
    withRatio(figure('heap after', use.heapAfter), before, { most: 1.25 }),
    figure('resident memory before', use.rssBefore),
    figure('resident memory after', use.rssAfter),
  ];
}

async function compareImports(): Promise<Figure[]> {
  process.stderr.write('  imports\n');
  const ours: number[] = [];
  const undici: number[] = [];
  // The first round reads from disk and is discarded.
  for (let round = -1; round < IMPORTS; round++) {
    const times = [await timeImport('@affkit/node'), await timeImport('undici')] as const;
    if (round < 0) continue;
    ours.push(times[0]);
    undici.push(times[1]);
  }
  const bare = { name: 'import of undici', unit: 'ms', rounds: undici };
  return [bare, withRatio({ name: 'import of @affkit/node', unit: 'ms', rounds: ours }, bare)];
}

async function timeImport(name: string): Promise<number> {
  const source = `const begin = performance.now(); await import('${name}'); console.log(performance.now() - begin)`;
  return Number(await runNode(['--input-type=module', '--eval', source]));
}

async function runScript<T>(script: string, args: readonly string[]): Promise<T> {
  const path = fileURLToPath(new URL(`../sdk/${script}`, import.meta.url));
  return JSON.parse(await runNode(['--expose-gc', path, ...args])) as T;
}

async function runNode(args: readonly string[]): Promise<string> {
  const cwd = fileURLToPath(new URL('.', import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd, maxBuffer: 2 ** 24 });
  return stdout;
}
