import { isRejection, type Rejection } from '../rejection.ts';
import type { Runtime } from '../runtime.ts';
import { rollbackStepWhen } from '../storage/database/rollback-when.ts';
import type { ProgramAccount } from '../storage/programs/programs.ts';
import { createPartnerIn, type NewPartner } from './partners.ts';
import { writeEach } from './write-each.ts';

type ImportedPartner = Exclude<Awaited<ReturnType<typeof createPartnerIn>>, Rejection>;

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
  return await writeEach(runtime, program, partners, (tx, partner) =>
    rollbackStepWhen(
      tx,
      () => createPartnerIn(tx, runtime, program, partner, programScope),
      (result) => isDryRun || isRejection(result),
    ),
  );
}
