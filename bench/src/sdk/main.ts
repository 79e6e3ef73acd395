import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startProcess } from '../process.ts';
import { median } from '../table.ts';
import type { CallRounds } from './calls.ts';
import type { MemoryUse } from './memory.ts';
import { type Comparison, compareCalls, type Memory, printReport, type Spread, spreadOf } from './report.ts';
import type { Senders, TransportName } from './senders.ts';

const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 21);
const CALLS = Number(process.env['BENCH_CALLS'] ?? 5_000);
const MEMORY_CALLS = Number(process.env['BENCH_MEMORY_CALLS'] ?? 100_000);
const IMPORTS = Number(process.env['BENCH_IMPORTS'] ?? 21);
/** What the SDK may not fall below, of what the same transport does without it. */
const LEAST_RATIO = 0.85;

/**
 * What the SDK costs beyond its transport: sales per second and processor time, memory over many calls, and what the
 * import takes. Each in processes of its own, against a server in another. Ends with code 1 where it costs too much.
 */
const server = await startProcess(join(import.meta.dirname, 'server.ts'), {});
try {
  const comparisons = [await compare('fetch', 'fetch'), await compare('undici', 'undici.request')];
  const memory = [
    await measureMemory('fetch', 'bare'),
    await measureMemory('fetch', 'sdk'),
    await measureMemory('undici', 'bare'),
    await measureMemory('undici', 'sdk'),
  ];
  const imports = await measureImports();
  printReport({ comparisons, memory, imports, calls: MEMORY_CALLS, leastRatio: LEAST_RATIO });
  if (comparisons.some(({ speed, cpu }) => Math.min(speed.median, cpu.median) < LEAST_RATIO)) {
    process.exitCode = 1;
  }
} finally {
  await server.stop();
}

async function compare(transport: TransportName, bare: string): Promise<Comparison> {
  process.stderr.write(`calls over ${transport}\n`);
  const rounds = await runScript<CallRounds>('calls.ts', [
    transport,
    server.url,
    String(ROUNDS),
    String(CALLS),
  ]);
  return compareCalls(transport, bare, rounds);
}

async function measureMemory(transport: TransportName, sender: keyof Senders): Promise<Memory> {
  process.stderr.write(`memory over ${transport}, ${sender}\n`);
  const args = [transport, sender, server.url, String(MEMORY_CALLS)];
  return { transport, sender, ...(await runScript<MemoryUse>('memory.ts', args)) };
}

/** Milliseconds that an import takes in a fresh process, the two in turns. */
async function measureImports(): Promise<Record<'sdk' | 'undici', Spread> & { ratio: number }> {
  process.stderr.write('imports\n');
  const times: Record<'sdk' | 'undici', number[]> = { sdk: [], undici: [] };
  for (let round = -1; round < IMPORTS; round++) {
    const sdk = await timeImport('@affkit/node');
    const undici = await timeImport('undici');
    // The first reads the disk.
    if (round < 0) continue;
    times.sdk.push(sdk);
    times.undici.push(undici);
  }
  const ratio = median(times.sdk.map((ms, round) => ms / (times.undici[round] ?? Number.NaN)));
  return { sdk: spreadOf(times.sdk), undici: spreadOf(times.undici), ratio };
}

async function timeImport(name: string): Promise<number> {
  const source = `const start = performance.now(); await import('${name}'); console.log(performance.now() - start)`;
  return Number(await runNode(['--input-type=module', '--eval', source]));
}

async function runScript<T>(script: string, args: readonly string[]): Promise<T> {
  return JSON.parse(await runNode(['--expose-gc', join(import.meta.dirname, script), ...args])) as T;
}

async function runNode(args: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: import.meta.dirname });
  return stdout;
}
