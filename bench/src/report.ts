/** The bounds of a figure. They apply to its ratio if it has one, otherwise to its value. */
export interface Target {
  readonly least?: number;
  readonly most?: number;
}

/** A measured quantity with one value per round. */
export interface Figure {
  readonly name: string;
  readonly unit: string;
  readonly rounds: readonly number[];
  /** The median of the measured times. Set only if the values in `rounds` are a high percentile of these times. */
  readonly p50?: number;
  /** The values divided by the values of another figure, round by round. */
  readonly ratio?: { readonly to: string; readonly rounds: readonly number[] };
  readonly target?: Target;
}

/** The results of one suite in one run. */
export interface Section {
  readonly id: string;
  readonly title: string;
  /** A description of the measurement and of the base of the ratios. */
  readonly text: string;
  readonly figures: readonly Figure[];
}

/** A recorded section, with the date and the machine of the measurement. */
export interface RecordedSection extends Section {
  readonly machine: string;
  readonly date: string;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

/** The value at `share` of the sorted values: 0 is the smallest, 1 the largest. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** Returns the figure with the ratio of its values to those of `to`, which was measured in the same rounds. */
export function withRatio(
  figure: Pick<Figure, 'name' | 'unit' | 'rounds' | 'p50'>,
  to: Pick<Figure, 'name' | 'rounds'>,
  target?: Target,
): Figure {
  const rounds = figure.rounds.map((value, index) => value / (to.rounds[index] ?? Number.NaN));
  return { ...figure, ratio: { to: to.name, rounds }, ...(target && { target }) };
}

/** Whether the figure meets its target; null without a target. */
export function isTargetMet({ rounds, ratio, target }: Figure): boolean | null {
  if (!target) return null;
  const value = median(ratio?.rounds ?? rounds);
  return value >= (target.least ?? -Infinity) && value <= (target.most ?? Infinity);
}

const HEADER = ['', 'median', 'min to max', 'ratio', 'target'] as const;

function rowsOf({ figures }: Section): string[][] {
  const names = new Set(figures.map(({ name }) => name));
  return figures.map((figure) => {
    const { name, unit, rounds, p50, ratio } = figure;
    const value = `${formatNumber(median(rounds))} ${unit}`;
    return [
      name,
      p50 === undefined ? value : `${value}, p50 ${formatNumber(p50)}`,
      rounds.length === 1
        ? ''
        : `${formatNumber(Math.min(...rounds))} to ${formatNumber(Math.max(...rounds))}`,
      ratio ? `${median(ratio.rounds).toFixed(2)} × ${names.has(ratio.to) ? `"${ratio.to}"` : ratio.to}` : '',
      targetOf(figure),
    ];
  });
}

function targetOf(figure: Figure): string {
  const { target, ratio, unit } = figure;
  if (!target) return '';
  const sign = ratio ? ' ×' : ` ${unit}`;
  const bound =
    target.least === undefined
      ? `≤ ${formatNumber(target.most ?? 0)}${sign}`
      : `≥ ${formatNumber(target.least)}${sign}`;
  return `${bound}: ${isTargetMet(figure) ? 'met' : 'missed'}`;
}

function formatNumber(value: number): string {
  if (value >= 100) return Math.round(value).toLocaleString('en');
  return Number(value.toPrecision(3)).toString();
}

/** Formats a section as a table for the terminal. */
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

/** If a section has more figures than this, docs/performance.md lists only those that have a target. */
const MOST_ROWS = 80;

/** Formats a section for docs/performance.md, with the table aligned as the Markdown formatter does. */
export function toMarkdown(section: RecordedSection): string {
  const isLong = section.figures.length > MOST_ROWS;
  const figures = isLong ? section.figures.filter(({ target }) => target) : section.figures;
  const text = isLong
    ? `${section.text} The table lists only results with a target; [performance.json](performance.json) has all.`
    : section.text;
  const table = toMarkdownTable([HEADER, ...rowsOf({ ...section, figures })]);
  return `### ${section.title}\n\n${text}\n\n${table}\n\n${section.machine}, ${section.date}.`;
}

/** Formats rows as a Markdown table, aligned as the Markdown formatter does. The first row is the header. */
export function toMarkdownTable(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(3, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  const line = (cells: readonly string[]) =>
    `| ${widths.map((width, column) => (cells[column] ?? '').padEnd(width)).join(' | ')} |`;
  const [head, ...body] = rows.map(line);
  return [head, line(widths.map((width) => '-'.repeat(width))), ...body].join('\n');
}
