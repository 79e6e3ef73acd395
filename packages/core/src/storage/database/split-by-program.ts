import { type RawBuilder, sql } from 'kysely';
import type { Transaction } from './engine/engine.ts';

/** Rows of one statement. */
interface ProgramRows<Row> {
  readonly rows: readonly Row[];
  /**
   * Returns the condition that a column contains the program of the rows, or TRUE if the rows may belong to
   * several programs.
   */
  readonly isInProgram: (column: string) => RawBuilder<boolean>;
}

/**
 * Splits the rows of a statement, in the order of their programs. On a Citus cluster, each statement gets the
 * rows of one program and a condition on that program. Citus then passes the statement on to one worker without
 * planning it. Without a cluster, one statement gets all rows.
 */
export function splitByProgram<Row>(
  tx: Transaction,
  rows: readonly Row[],
  programIdOf: (row: Row) => number,
): ProgramRows<Row>[] {
  if (!tx.isCluster) return [{ rows, isInProgram: () => sql<boolean>`TRUE` }];
  const byProgram = Map.groupBy(rows, programIdOf);
  return [...byProgram]
    .sort(([a], [b]) => a - b)
    .map(([programId, ofProgram]) => ({
      rows: ofProgram,
      isInProgram: (column) => sql<boolean>`${sql.ref(column)} = ${programId}`,
    }));
}

/**
 * Returns the condition that the column contains the program of the rows, so that a Citus cluster runs the statement on
 * only one worker. If the rows belong to several programs, returns TRUE.
 */
export function isInProgramOf(
  rows: readonly { readonly programId: number }[],
  column: string,
): RawBuilder<boolean> {
  const [programId, ...others] = new Set(rows.map((row) => row.programId));
  return programId !== undefined && others.length === 0
    ? sql<boolean>`${sql.ref(column)} = ${programId}`
    : sql<boolean>`TRUE`;
}
