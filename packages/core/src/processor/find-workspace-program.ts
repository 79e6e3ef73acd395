import { isStorable, parseRowId } from '@affkit/protocol';
import { programOfClickId } from '../domain/click-id.ts';
import type { Transaction } from '../storage/database/engine/engine.ts';
import { findProgram, type ProgramAccount } from '../storage/programs/programs.ts';
import { listClickIdsOfNamed } from '../storage/tracking/customers.ts';
import { listImportedPrograms } from '../storage/transfer/imports.ts';
import type { PaymentMetadata } from './stripe-fields.ts';

/**
 * Finds the program that the metadata names, if it is in the same workspace as the connection. An import of a program
 * from another installation may change the program's id, but the metadata of existing subscriptions keeps the old id.
 * The click id of a customer contains the old id too. Therefore, if the named program does not have the customer, the
 * function returns the imported program that has the customer with a click id of the old program.
 */
export async function findWorkspaceProgram(
  tx: Transaction,
  workspaceId: number,
  { programId, clickId, customerKey }: Pick<PaymentMetadata, 'programId' | 'clickId' | 'customerKey'>,
): Promise<ProgramAccount | 'program_not_found' | 'foreign_program'> {
  const id =
    typeof programId === 'string' || typeof programId === 'number' ? parseRowId(String(programId)) : null;
  if (id === null) return 'program_not_found';
  const program = await findProgram(tx.db, id);
  const isOwn = program?.workspaceId === workspaceId;
  const imported = (await listImportedPrograms(tx.db, workspaceId)).filter((one) => one !== id);
  if (imported.length > 0) {
    const names = [clickId, customerKey].flatMap((name) =>
      typeof name === 'string' && isStorable(name) ? [name] : [],
    );
    const clickIdsIn = (one: number) => listClickIdsOfNamed(tx.db, one, names);
    if (isOwn && (await clickIdsIn(id)).length > 0) return program;
    for (const one of imported) {
      const clickIds = await clickIdsIn(one);
      const found = clickIds.some((text) => programOfClickId(text) === id) && (await findProgram(tx.db, one));
      if (found) return found;
    }
  }
  if (!program) return 'program_not_found';
  return isOwn ? program : 'foreign_program';
}
