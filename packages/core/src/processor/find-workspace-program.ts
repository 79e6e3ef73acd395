import { isStorable, parseRowId } from '@affkit/protocol';
import { programOfClickId } from '../domain/click-id.ts';
import type { Transaction } from '../storage/database/engine/engine.ts';
import { findProgram, type ProgramAccount } from '../storage/programs/programs.ts';
import { findClickIdOfCustomer } from '../storage/tracking/customers.ts';
import { listImportedPrograms } from '../storage/transfer/imports.ts';
import type { PaymentMetadata } from './stripe-fields.ts';

type NamedCustomer = Pick<PaymentMetadata, 'clickId' | 'customerKey'>;

/**
 * Finds the program that the metadata names, if it is in the same workspace as the connection. An import of a program
 * from another installation may change the program's id, but the metadata of existing subscriptions keeps the old id.
 * The click id of a customer contains the old id too. Therefore, if the named program does not have the customer, the
 * function returns the imported program that has the customer with a click id of the old program.
 */
export async function findWorkspaceProgram(
  tx: Transaction,
  workspaceId: number,
  { programId, ...customer }: NamedCustomer & Pick<PaymentMetadata, 'programId'>,
): Promise<ProgramAccount | 'program_not_found' | 'foreign_program'> {
  const id =
    typeof programId === 'string' || typeof programId === 'number' ? parseRowId(String(programId)) : null;
  if (id === null) return 'program_not_found';
  const program = await findProgram(tx.db, id);
  const own = program?.workspaceId === workspaceId ? program : null;
  const importedIds = (await listImportedPrograms(tx.db, workspaceId)).filter((one) => one !== id);
  const owner = importedIds.length === 0 ? null : await findOwner(tx, id, own, importedIds, customer);
  if (owner?.workspaceId === workspaceId) return owner;
  return own ?? (program ? 'foreign_program' : 'program_not_found');
}

/**
 * Finds the program that has the customer. Click ids are unique, but different customers of several programs can have
 * the same key. Therefore, the click id decides before the key, and a key that fits several imported programs fits none.
 */
async function findOwner(
  tx: Transaction,
  id: number,
  own: ProgramAccount | null,
  importedIds: readonly number[],
  { clickId, customerKey }: NamedCustomer,
): Promise<ProgramAccount | null> {
  for (const [column, name] of [['click_id', clickId] as const, ['customer_key', customerKey] as const]) {
    if (typeof name !== 'string' || !isStorable(name)) continue;
    if (own && (await findClickIdOfCustomer(tx.db, own.id, column, name)) !== null) return own;
    const owners: ProgramAccount[] = [];
    for (const imported of importedIds) {
      const found = await findClickIdOfCustomer(tx.db, imported, column, name);
      if (found === null || programOfClickId(found) !== id) continue;
      const owner = await findProgram(tx.db, imported);
      if (owner) owners.push(owner);
    }
    const [owner, ...others] = owners;
    if (owner && others.length === 0) return owner;
  }
  return null;
}
