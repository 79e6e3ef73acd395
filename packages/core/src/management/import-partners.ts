import { isRejection, type Rejection } from '../rejection.ts';
import type { Runtime } from '../runtime.ts';
import { rollbackStepWhen } from '../storage/database/rollback-when.ts';
import type { ProgramAccount } from '../storage/programs/programs.ts';
import { createPartnerIn, type NewPartner } from './partners.ts';

type ImportedPartner = Exclude<Awaited<ReturnType<typeof createPartnerIn>>, Rejection>;

/** The number of rows per commit. Other work of the workspace can run between two commits. */
const IMPORT_BATCH_SIZE = 16;

/**
 * Enrolls each partner as `createPartner` does, independently of the other partners. A repeated import
 * returns the existing partners.
 * @param options.isDryRun whether to roll back every row
 * @param options.programScope the programs that the caller is limited to, or null for all programs of the
 * workspace
 * @returns the result of each partner, in order
 */
export async function importPartners(
  runtime: Runtime,
  program: ProgramAccount,
  partners: readonly NewPartner[],
  options: { readonly isDryRun: boolean; readonly programScope: readonly number[] | null },
): Promise<(ImportedPartner | Rejection)[]> {
  const { isDryRun, programScope } = options;
  const importedPartners: (ImportedPartner | Rejection)[] = [];
  for (let done = 0; done < partners.length; done += IMPORT_BATCH_SIZE) {
    const batch = partners.slice(done, done + IMPORT_BATCH_SIZE).map((partner) =>
      runtime.engine.write(program.workspaceId, (tx) =>
        rollbackStepWhen(
          tx,
          () => createPartnerIn(tx, runtime, program, partner, programScope),
          (result) => isDryRun || isRejection(result),
        ),
      ),
    );
    importedPartners.push(...(await Promise.all(batch)));
  }
  return importedPartners;
}
