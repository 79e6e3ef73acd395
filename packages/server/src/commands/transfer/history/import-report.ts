import type { PastRecordOutcome } from '@affkit/core';
import { countOf } from '../../count-of.ts';
import type { Field, FileKind } from '../vendors/vendor.ts';
import type { ColumnMap } from './map-columns.ts';
import type { CsvSource } from './read-csv.ts';

/** The number of problems that are stored per file. Further problems are only counted. */
const MAX_PROBLEMS = 1_000;
const SHOWN_PROBLEMS = 20;

/**
 * `skipped`: the row could not be read or recorded. `ignored`: the row is of a kind that is not imported. `noted`: a
 * part of the row was not imported.
 */
type ProblemKind = 'skipped' | 'ignored' | 'noted';

interface Problem {
  readonly line: number;
  readonly kind: ProblemKind;
  readonly reason: string;
}

/** What happened to the rows and columns of a file. */
export class FileReport {
  readonly file: string;
  readonly kind: FileKind;
  readonly #separator: string;
  readonly #columns: readonly { readonly column: string; readonly mapped_to: Field | null }[];
  readonly #counts = { rows: 0, imported: 0, existing: 0, ignored: 0, skipped: 0 };
  readonly #problems: Problem[] = [];
  #problemCount = 0;

  constructor(file: string, kind: FileKind, { separator, header }: CsvSource, { fields }: ColumnMap) {
    this.file = file;
    this.kind = kind;
    this.#separator = separator;
    this.#columns = header.map((column, index) => ({ column, mapped_to: fields[index] ?? null }));
  }

  add(line: number, result: PastRecordOutcome | { readonly outcome: 'ignored'; readonly reason: string }) {
    this.#counts.rows += 1;
    this.#counts[result.outcome] += 1;
    if (result.outcome === 'skipped' || result.outcome === 'ignored') {
      this.#addProblem({ line, kind: result.outcome, reason: result.reason });
    } else if (result.note !== null) this.#addProblem({ line, kind: 'noted', reason: result.note });
  }

  /** Reports that the rest of the file cannot be read. */
  stop(line: number, reason: string): void {
    this.#counts.skipped += 1;
    this.#addProblem({ line, kind: 'skipped', reason });
  }

  get skipped(): number {
    return this.#counts.skipped;
  }

  toJson() {
    return {
      file: this.file,
      kind: this.kind,
      separator: this.#separator,
      columns: this.#columns,
      ...this.#counts,
      problems: this.#sortedProblems(),
      more_problems: this.#problemCount - this.#problems.length,
    };
  }

  toLines(): string[] {
    const { rows, imported, existing, ignored, skipped } = this.#counts;
    const width = Math.max(...this.#columns.map(({ column }) => column.length));
    const shown = this.#sortedProblems().slice(0, SHOWN_PROBLEMS);
    const more = this.#problemCount - shown.length;
    return [
      `${this.file} (${this.kind}): ${countOf(rows, 'row')}, ${imported} imported, ${existing} already there, ${ignored} ignored, ${skipped} skipped`,
      ...this.#columns.map(
        ({ column, mapped_to }) => `  ${column.padEnd(width)}  ${mapped_to ?? '(ignored)'}`,
      ),
      ...shown.map(({ line, kind, reason }) => `  line ${line} ${kind}: ${reason}`),
      ...(more > 0 ? [`  and ${countOf(more, 'more line')}. --json prints the first ${MAX_PROBLEMS}`] : []),
    ];
  }

  /** Rows are recorded in batches, so problems with recording are added later than problems with reading. */
  #sortedProblems(): Problem[] {
    return [...this.#problems].sort((a, b) => a.line - b.line);
  }

  #addProblem(problem: Problem): void {
    this.#problemCount += 1;
    if (this.#problems.length < MAX_PROBLEMS) this.#problems.push(problem);
  }
}
