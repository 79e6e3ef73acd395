import type { Round } from './load.ts';

export interface Measured {
  readonly name: string;
  readonly rounds: readonly Round[];
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

/** @param share from 0, the smallest, to 1, the largest */
export function quantile(values: readonly number[], share: number): number {
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** Prints medians; the ratio is the median of the ratios to the first subject, round by round. */
export function printTable(subjects: readonly Measured[]): void {
  const [baseline] = subjects;
  if (!baseline) return;
  const rows = subjects.map(({ name, rounds }) => {
    const rates = rounds.map((round) => round.requestsPerSecond);
    const ratios = rounds.map((round, index) => {
      const base = baseline.rounds[index]?.requestsPerSecond ?? Number.NaN;
      return round.requestsPerSecond / base;
    });
    return [
      name,
      `${Math.round(median(rates))}`,
      `${Math.round(Math.min(...rates))}-${Math.round(Math.max(...rates))}`,
      `${median(ratios).toFixed(2)} ×`,
      `${median(rounds.map((round) => round.p50Ms))} ms`,
      `${median(rounds.map((round) => round.p99Ms))} ms`,
    ];
  });
  const header = ['', 'clicks/s', 'min-max', 'of Express', 'p50', 'p99'];
  const widths = header.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  for (const row of [header, ...rows]) {
    process.stdout.write(`${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')}\n`);
  }
}
