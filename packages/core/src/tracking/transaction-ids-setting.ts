import type { TransactionIdScope } from '../domain/transaction-id.ts';
import type { Runtime } from '../runtime.ts';
import { SERVICE_LANE } from '../storage/accounts/users.ts';
import type { Engine } from '../storage/database/engine/engine.ts';
import { isMissingTable } from '../storage/database/missing-table.ts';
import {
  countSharedTransactionIds,
  storeTransactionIds,
  storeTransactionIdsIfNew,
} from '../storage/tracking/transaction-ids-setting.ts';

/** Thrown when the option `transactionIds` differs from the value in the database. */
export class TransactionIdsMismatch extends Error {
  override readonly name = 'TransactionIdsMismatch';
  /** The value in the database. */
  readonly stored: TransactionIdScope;

  constructor(stored: TransactionIdScope, given: TransactionIdScope) {
    super(
      `createAffkit: transactionIds is '${given}', but the database uses '${stored}'. ` +
        `Set transactionIds to '${stored}', or stop every process that uses the database, call ` +
        `changeTransactionIds({ engine }, '${given}') once, and start again.`,
    );
    this.stored = stored;
  }
}

/**
 * Stores the setting on the first start. All processes must have the same setting, because otherwise they
 * would not agree on which sales are duplicates.
 * @throws TransactionIdsMismatch when another setting is stored
 */
export async function checkTransactionIds({
  engine,
  transactionIds,
}: Pick<Runtime, 'engine' | 'transactionIds'>): Promise<void> {
  const stored = await engine.write(SERVICE_LANE, (tx) => storeTransactionIdsIfNew(tx, transactionIds));
  if (stored !== transactionIds) throw new TransactionIdsMismatch(stored, transactionIds);
}

/**
 * Changes the scope in which transaction ids must be unique. First stop all processes that use the database.
 * Recorded sales do not change. With either setting, each workspace still finds its own sales and rejects
 * their duplicates.
 *
 * @returns the number of transaction ids that belong to sales of several workspaces. After a change to
 * `service`, these workspaces keep their sales, but no other workspace can use the ids.
 * @throws Error when this version of Affkit has not migrated the database yet
 */
export async function changeTransactionIds(
  { engine }: { readonly engine: Engine },
  scope: TransactionIdScope,
): Promise<number> {
  await engine.write(SERVICE_LANE, (tx) => storeTransactionIds(tx, scope)).catch(explainOutdatedDatabase);
  return await countSharedTransactionIds(engine.read);
}

function explainOutdatedDatabase(error: unknown): never {
  if (!isMissingTable(error)) throw error;
  const message =
    'The database is not migrated to this version of Affkit. Start a server of this version once, then stop it.';
  throw new Error(message, { cause: error });
}
