import type { TransactionIdScope } from '../domain/transaction-id.ts';
import type { Runtime } from '../runtime.ts';
import { ACCOUNTS_LANE } from '../storage/accounts/users.ts';
import type { Engine } from '../storage/database/engine/engine.ts';
import { isMissingTable } from '../storage/database/missing-table.ts';
import {
  countSharedTransactionIds,
  storeTransactionIds,
  storeTransactionIdsIfNew,
} from '../storage/tracking/transaction-ids-setting.ts';

/** The option `transactionIds` differs from the value that the database is set up with. */
export class TransactionIdsMismatch extends Error {
  override readonly name = 'TransactionIdsMismatch';
  /** The value in the database. */
  readonly stored: TransactionIdScope;

  constructor(stored: TransactionIdScope, given: TransactionIdScope) {
    super(
      `createAffkit: transactionIds is '${given}', but the database is set up with '${stored}'. ` +
        `Set transactionIds to '${stored}', or stop every process of the database, call ` +
        `changeTransactionIds({ engine }, '${given}') once, and start again.`,
    );
    this.stored = stored;
  }
}

/**
 * Stores the setting at the first start. Processes with different settings would disagree on which sales are
 * duplicates.
 * @throws TransactionIdsMismatch when another setting is stored
 */
export async function checkTransactionIds({
  engine,
  transactionIds,
}: Pick<Runtime, 'engine' | 'transactionIds'>): Promise<void> {
  const stored = await engine.write(ACCOUNTS_LANE, (tx) => storeTransactionIdsIfNew(tx, transactionIds));
  if (stored !== transactionIds) throw new TransactionIdsMismatch(stored, transactionIds);
}

/**
 * Changes where transaction ids are unique. Stop every process of the database first. Recorded sales do not
 * change: with either setting, each workspace keeps finding its own sales and rejects their duplicates.
 *
 * @returns the number of transaction ids that belong to sales of several workspaces. After a change to
 * `service`, each of these workspaces keeps its sale, and no other workspace can use the id.
 * @throws Error when this version has not migrated the database yet
 */
export async function changeTransactionIds(
  { engine }: { readonly engine: Engine },
  scope: TransactionIdScope,
): Promise<number> {
  await engine.write(ACCOUNTS_LANE, (tx) => storeTransactionIds(tx, scope)).catch(explainOutdatedDatabase);
  return await countSharedTransactionIds(engine.read);
}

function explainOutdatedDatabase(error: unknown): never {
  if (!isMissingTable(error)) throw error;
  const message = 'This version of Affkit has not migrated the database yet. Start it once first.';
  throw new Error(message, { cause: error });
}
