import { isStorable, parseRowId } from '@affkit/protocol';
import { programOfClickId } from '../domain/click-id.ts';
import type { Transaction } from '../storage/database/engine/engine.ts';
import { findProgram, type ProgramAccount } from '../storage/programs/programs.ts';
import { findClickIdOfCustomer } from '../storage/tracking/customers.ts';
import { listImportedPrograms } from '../storage/transfer/imports.ts';
import type { PaymentMetadata } from './stripe-fields.ts';

/**
 * Finds the program that the metadata names, if it is in the same workspace as the connection. An import of a program
 * from another installation may change the program's id, but the metadata of existing subscriptions keeps the old id.
 * The click id of a customer contains the old id too. Therefore, the function also finds the imported program that has
 * the customer with a click id of the old program.
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
  const moved =
    (await findMovedProgram(tx, workspaceId, id, 'click_id', clickId)) ??
    // Customers of several programs can have the same key, so a program with this id comes before the moved programs.
    (isOwn ? null : await findMovedProgram(tx, workspaceId, id, 'customer_key', customerKey));
  if (moved) return moved;
  if (!program) return 'program_not_found';
  return isOwn ? program : 'foreign_program';
}

/**
 * Finds a program that was moved into the workspace by `oldId`, its id in the old installation. It must be the program
 * of the customer. Returns null if several programs match.
 */
async function findMovedProgram(
  tx: Transaction,
  workspaceId: number,
  oldId: number,
  column: 'click_id' | 'customer_key',
  name: unknown,
): Promise<ProgramAccount | null> {
  if (typeof name !== 'string' || !isStorable(name)) return null;
  const found: ProgramAccount[] = [];
  for (const importedId of await listImportedPrograms(tx.db, workspaceId)) {
    if (importedId === oldId) continue;
    const clickId = await findClickIdOfCustomer(tx.db, importedId, column, name);
    if (clickId === null || programOfClickId(clickId) !== oldId) continue;
    const program = await findProgram(tx.db, importedId);
    if (program?.workspaceId === workspaceId) found.push(program);
  }
  return found.length === 1 ? (found[0] ?? null) : null;
}
