/** What a figure should be; of its ratio where it has one, else of its value. */
export interface Target {
  readonly least?: number;
  readonly most?: number;
}

/** One thing that was measured, a value for each round. */
export interface Figure {
  readonly name: string;
  readonly unit: string;
  readonly rounds: readonly number[];
  /** The same divided by another figure's, round by round. */
  readonly ratio?: { readonly to: string; readonly rounds: readonly number[] };
  readonly target?: Target;
}

/** What one suite measured, in one run. */
export interface Section {
  readonly id: string;
  readonly title: string;
  /** What was done, and what the figures are ratios of. */
  readonly text: string;
  readonly figures: readonly Figure[];
}

/** A section as it is kept: with when and where it was measured. */
export interface Recorded extends Section {
  readonly machine: string;
  readonly date: string;
}

function median(values: readonly number[]): number {
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

/** A figure with its ratio to another one of the same rounds. */
export function compared(
  figure: Pick<Figure, 'name' | 'unit' | 'rounds'>,
  to: Pick<Figure, 'name' | 'rounds'>,
  target?: Target,
): Figure {
  const rounds = figure.rounds.map((value, index) => value / (to.rounds[index] ?? Number.NaN));
  return { ...figure, ratio: { to: to.name, rounds }, ...(target && { target }) };
}

/** Does it hold its target? Null where it has none. */
export function holds({ rounds, ratio, target }: Figure): boolean | null {
  if (!target) return null;
  const value = median(ratio?.rounds ?? rounds);
  return value >= (target.least ?? -Infinity) && value <= (target.most ?? Infinity);
}

const HEADER = ['', 'median', 'min to max', 'ratio', 'target'] as const;

function rowsOf({ figures }: Section): string[][] {
  return figures.map((figure) => {
    const { name, unit, rounds, ratio } = figure;
    return [
      name,
      `${short(median(rounds))} ${unit}`,
      rounds.length === 1 ? '' : `${short(Math.min(...rounds))} to ${short(Math.max(...rounds))}`,
      ratio ? `${median(ratio.rounds).toFixed(2)} × ${ratio.to}` : '',
      targetOf(figure),
    ];
  });
}

function targetOf(figure: Figure): string {
  const { target, ratio, unit } = figure;
  if (!target) return '';
  const sign = ratio ? ' ×' : ` ${unit}`;
  const bound =
    target.least === undefined ? `≤ ${short(target.most ?? 0)}${sign}` : `≥ ${short(target.least)}${sign}`;
  return `${bound}: ${holds(figure) ? 'held' : 'missed'}`;
}

function short(value: number): string {
  if (value >= 100) return Math.round(value).toLocaleString('en');
  return Number(value.toPrecision(3)).toString();
}

/** The table for a terminal. */
export function toText(section: Section): string {
  const rows = [[...HEADER], ...rowsOf(section)];
  const widths = HEADER.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const lines = rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
  return [section.title, ...lines].join('\n');
}

/** The section for the documentation, its table aligned as the formatter has it. */
export function toMarkdown(section: Recorded): string {
  const rows = [[...HEADER], ...rowsOf(section)];
  const widths = HEADER.map((_, column) => Math.max(3, ...rows.map((row) => row[column]?.length ?? 0)));
  const line = (cells: readonly string[]) =>
    `| ${widths.map((width, column) => (cells[column] ?? '').padEnd(width)).join(' | ')} |`;
  const [head, ...body] = rows.map(line);
  const table = [head, line(widths.map((width) => '-'.repeat(width))), ...body].join('\n');
  return `### ${section.title}\n\n${section.text}\n\n${table}\n\n${section.machine}, ${section.date}.`;
}
