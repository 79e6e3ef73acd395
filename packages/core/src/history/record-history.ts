import type { Runtime } from '../runtime.ts';
import { readShardsInOrder } from '../storage/database/cluster/read-shards-in-order.ts';
import type { Transaction } from '../storage/database/engine/engine.ts';
import { rollbackStepWhen } from '../storage/database/rollback-when.ts';
import {
  findProgramBySlug,
  listAllPrograms,
  lockProgramShared,
  type ProgramAccount,
} from '../storage/programs/programs.ts';
import { recheckParked } from '../storage/stripe/recheck-parked.ts';
import { listFormerProgramIds } from '../storage/tracking/customers.ts';
import { listImportedPrograms } from '../storage/transfer/imports.ts';
import { recordInDryRun } from './dry-run.ts';
import type { HistoryScope } from './history-scope.ts';
import type { PastRecord, PastRecordOutcome, RecordBatch } from './past-records.ts';
import { recordPastCommission } from './record-commission.ts';
import { recordPastCustomer } from './record-customer.ts';
import { recordPastPartner } from './record-partner.ts';

/** Thrown when an import cannot run, for example because the program does not exist. */
export class HistoryError extends Error {
  override readonly name: string = 'HistoryError';
}

/**
 * Records partners, customers, and commissions of another affiliate service. Each batch is one transaction.
 * Each record has an id, and is recorded only once. An interrupted import can therefore be repeated.
 * @param options.programSlug null selects the only program. If there are several, the function throws
 * @param options.isDryRun whether to roll back each batch. The outcomes are the same as without a dry run
 * @param importAll reads the records, and passes them to the function that it receives
 * @throws HistoryError when the program cannot be found
 */
export async function recordHistory<T>(
  runtime: Runtime,
  options: {
    readonly source: string;
    readonly sourceTitle: string;
    readonly programSlug: string | null;
    readonly isDryRun: boolean;
  },
  importAll: (record: RecordBatch, program: ProgramAccount) => Promise<T>,
): Promise<T> {
  const { source, sourceTitle, isDryRun } = options;
  const program = await findOnlyProgram(runtime, options.programSlug);
  const formerProgramIds = await findFormerProgramIds(runtime, program);
  const scope = { runtime, program, formerProgramIds, source, sourceTitle };
  const recordIn = (tx: Transaction, records: readonly PastRecord[]) => recordAll(tx, scope, records);
  const record: RecordBatch = isDryRun
    ? recordInDryRun(scope, recordIn)
    : (records) => runtime.engine.write(program.workspaceId, (tx) => recordIn(tx, records));
  const result = await importAll(record, program);
  if (!isDryRun) {
    const { workspaceId } = program;
    await runtime.engine.write(workspaceId, (tx) => recheckParked(tx, workspaceId, runtime.now()));
  }
  return result;
}

async function findFormerProgramIds(
  { engine }: Runtime,
  { id, workspaceId }: ProgramAccount,
): Promise<readonly number[]> {
  const imported = await listImportedPrograms(engine.read, workspaceId);
  return imported.includes(id) ? await listFormerProgramIds(engine.read, id) : [];
}

async function findOnlyProgram({ engine }: Runtime, slug: string | null): Promise<ProgramAccount> {
  if (slug !== null) {
    const program = await findProgramBySlug(engine.read, slug);
    if (program === null) throw new HistoryError(`The program ${slug} does not exist`);
    return program;
  }
  const [first, ...others] = await listAllPrograms(engine.read);
  if (!first) throw new HistoryError('The database has no program. Create one, and set its commission');
  if (others.length === 0) return first;
  const slugs = [first, ...others].map((program) => program.slug).join(', ');
  throw new HistoryError(`The database has several programs. Pass --program with one of them: ${slugs}`);
}

async function recordAll(
  tx: Transaction,
  scope: HistoryScope,
  records: readonly PastRecord[],
): Promise<PastRecordOutcome[]> {
  // While one record is stored, all shards may be read. A later record of the same transaction may store a partner.
  await readShardsInOrder(tx);
  // Load the program again, because its settings may have changed since the last batch.
  const program = await lockProgramShared(tx, scope.program.id);
  if (program === null) throw new HistoryError(`The program ${scope.program.slug} was deleted`);
  const outcomes: PastRecordOutcome[] = [];
  for (const record of records) {
    // If a record is skipped, roll back the rows that were already stored for it.
    const outcome = await rollbackStepWhen(
      tx,
      () => recordOne(tx, { ...scope, program }, record),
      (result) => result.outcome === 'skipped',
    );
    outcomes.push(outcome);
  }
  return outcomes;
}

function recordOne(tx: Transaction, scope: HistoryScope, record: PastRecord): Promise<PastRecordOutcome> {
  if (record.kind === 'partner') return recordPastPartner(tx, scope, record.partner);
  if (record.kind === 'customer') return recordPastCustomer(tx, scope, record.customer);
  return recordPastCommission(tx, scope, record.commission);
}
