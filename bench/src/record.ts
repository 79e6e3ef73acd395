import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, totalmem } from 'node:os';
import { fileURLToPath } from 'node:url';
import { type RecordedSection, type Section, toMarkdown } from './report.ts';

const FIGURES = fileURLToPath(new URL('../../docs/performance.json', import.meta.url));
/** The page with the tables. */
export const PAGE = fileURLToPath(new URL('../../docs/performance.md', import.meta.url));
const BEGIN = '<!-- Made by `npm run bench -- --record`: do not edit. -->';
const END = '<!-- End of what is made. -->';

/**
 * Stores the sections in docs/performance.json, replacing earlier ones with the same id, and updates the
 * tables in docs/performance.md.
 */
export function recordSections(sections: readonly Section[]): void {
  const date = new Date().toISOString().slice(0, 10);
  const fresh = new Map(sections.map((section) => [section.id, { ...section, machine: machine(), date }]));
  const kept = readRecorded().map((section) => fresh.get(section.id) ?? section);
  const known = new Set(kept.map(({ id }) => id));
  const all = [...kept, ...[...fresh.values()].filter(({ id }) => !known.has(id))];
  writeFileSync(FIGURES, `${JSON.stringify(all, roundNumbers, 2)}\n`);
  writeTables();
}

/** Updates the tables of the page from the recorded sections. */
function writeTables(): void {
  writeFileSync(PAGE, withTables(readFileSync(PAGE, 'utf8'), readRecorded()));
}

/** The recorded sections. */
export function readRecorded(): RecordedSection[] {
  return existsSync(FIGURES) ? (JSON.parse(readFileSync(FIGURES, 'utf8')) as RecordedSection[]) : [];
}

/** Returns the page with new tables. @throws if the page lacks the markers for them */
export function withTables(page: string, sections: readonly RecordedSection[]): string {
  const [begin, end] = [page.indexOf(BEGIN), page.indexOf(END)];
  if (begin === -1 || end < begin) throw new Error(`docs/performance.md needs the lines ${BEGIN} and ${END}`);
  const parts = [page.slice(0, begin + BEGIN.length), ...sections.map(toMarkdown), page.slice(end)];
  return parts.join('\n\n');
}

function machine(): string {
  const [cpu] = cpus();
  const gibibytes = Math.round(totalmem() / 2 ** 30);
  // The process may be limited to some of the cores.
  const [all, usable] = [cpus().length, availableParallelism()];
  return `${usable === all ? all : `${usable} of ${all}`} cores (${cpu?.model.trim() ?? 'unknown'}), ${gibibytes} GiB, Node ${process.version}, commit ${commit()}`;
}

function commit(): string {
  try {
    return execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim();
  } catch {
    return 'unknown';
  }
}

function roundNumbers(_key: string, value: unknown): unknown {
  return typeof value === 'number' ? Number(value.toPrecision(4)) : value;
}
