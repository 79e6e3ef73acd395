import type { Runtime } from '../runtime.ts';
import type { Transaction } from '../storage/database/engine/engine.ts';
import type { ProgramAccount } from '../storage/programs/programs.ts';

/** The number of rows per commit. Other work of the workspace can run between two commits. */
const ROWS_PER_COMMIT = 16;

/**
 * Runs `work` for each row in a transaction of its own. The transactions of 16 rows run concurrently, so that they can
 * share a commit.
 * @returns the results, in order
 */
export async function writeEach<Row, Result>(
  { engine }: Pick<Runtime, 'engine'>,
  { workspaceId }: Pick<ProgramAccount, 'workspaceId'>,
  rows: readonly Row[],
  work: (tx: Transaction, row: Row) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  for (let done = 0; done < rows.length; done += ROWS_PER_COMMIT) {
    const batch = rows
      .slice(done, done + ROWS_PER_COMMIT)
      .map((row) => engine.write(workspaceId, (tx) => work(tx, row)));
    results.push(...(await Promise.all(batch)));
  }
  return results;
}
