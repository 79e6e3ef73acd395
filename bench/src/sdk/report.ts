import { median } from '../table.ts';
import type { CallRounds } from './calls.ts';
import type { MemoryUse } from './memory.ts';

export interface Spread {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

/** The SDK against what its transport does without it; ratios are round by round, and more is better. */
export interface Comparison {
  readonly transport: string;
  readonly bare: string;
  readonly bareCalls: Spread;
  readonly sdkCalls: Spread;
  readonly bareCpu: Spread;
  readonly sdkCpu: Spread;
  readonly speed: Spread;
  readonly cpu: Spread;
}

/** What one sender holds, over many calls. */
export interface Memory extends MemoryUse {
  readonly transport: string;
  readonly sender: string;
}

/** Everything that one run measured. */
export interface Report {
  readonly comparisons: readonly Comparison[];
  readonly memory: readonly Memory[];
  /** Milliseconds. */
  readonly imports: { readonly sdk: Spread; readonly undici: Spread; readonly ratio: number };
  /** Over which the memory was measured. */
  readonly calls: number;
  readonly leastRatio: number;
}

export function spreadOf(values: readonly number[]): Spread {
  return { median: median(values), min: Math.min(...values), max: Math.max(...values) };
}

export function compareCalls(transport: string, bare: string, rounds: CallRounds): Comparison {
  const pairs = rounds.sdk.flatMap((sdk, round) => {
    const other = rounds.bare[round];
    return other === undefined ? [] : [{ sdk, bare: other }];
  });
  return {
    transport,
    bare,
    bareCalls: spreadOf(rounds.bare.map((round) => round.callsPerSecond)),
    sdkCalls: spreadOf(rounds.sdk.map((round) => round.callsPerSecond)),
    bareCpu: spreadOf(rounds.bare.map((round) => round.cpuMicrosPerCall)),
    sdkCpu: spreadOf(rounds.sdk.map((round) => round.cpuMicrosPerCall)),
    speed: spreadOf(pairs.map((pair) => pair.sdk.callsPerSecond / pair.bare.callsPerSecond)),
    cpu: spreadOf(pairs.map((pair) => pair.bare.cpuMicrosPerCall / pair.sdk.cpuMicrosPerCall)),
  };
}

/** Prints what to read, and then the same as one line of JSON. */
export function printReport(report: Report): void {
  const least = `at least ${report.leastRatio}`;
  const lines = [
    ...report.comparisons.flatMap(({ transport, bare, ...figures }) => [
      `${bare}: ${show(figures.bareCalls, 0)} calls/s, ${show(figures.bareCpu, 1)} µs of CPU per call`,
      `SDK on ${transport}: ${show(figures.sdkCalls, 0)} calls/s, ${show(figures.sdkCpu, 1)} µs of CPU per call`,
      `  of it: ${show(figures.speed, 2)} × in calls/s, ${show(figures.cpu, 2)} × in CPU (${least})`,
    ]),
    ...report.memory.map(
      ({ transport, sender, ...use }) =>
        `memory over ${report.calls.toLocaleString('en')} calls, ${sender} on ${transport}: ` +
        `heap ${megabytes(use.heapBefore)} to ${megabytes(use.heapAfter)} MB, ` +
        `RSS ${megabytes(use.rssBefore)} to ${megabytes(use.rssAfter)} MB`,
    ),
    `import of @affkit/node: ${show(report.imports.sdk, 1)} ms, of undici: ${show(report.imports.undici, 1)} ms: ` +
      `${report.imports.ratio.toFixed(2)} ×`,
  ];
  process.stdout.write(`Medians (min-max):\n${lines.join('\n')}\n${JSON.stringify(report)}\n`);
}

function show({ median: middle, min, max }: Spread, digits: number): string {
  return `${middle.toFixed(digits)} (${min.toFixed(digits)}-${max.toFixed(digits)})`;
}

function megabytes(bytes: number): string {
  return (bytes / 1024 / 1024).toFixed(1);
}
