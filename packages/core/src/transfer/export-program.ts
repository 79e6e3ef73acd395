import { randomUUID } from 'node:crypto';
import { isoTime } from '../domain/calendar.ts';
import { initialChainHead } from '../domain/ledger-chain.ts';
import { verifyLedger } from '../reporting/verify-ledger.ts';
import type { Runtime } from '../runtime.ts';
import { SERVICE_LANE } from '../storage/accounts/users.ts';
import type { Row } from '../storage/database/rows.ts';
import { findStoredHead } from '../storage/money/ledger-audit.ts';
import { findWorkspaceOfProgram } from '../storage/programs/programs.ts';
import { hasPendingPayment } from '../storage/stripe/pending-payments.ts';
import { findClicksCompleteFrom, findInstallationId } from '../storage/tracking/removed-months.ts';
import { countUnfinishedWork, readTransferProgram, readTransferRows } from '../storage/transfer/read-rows.ts';
import type { TransferTable } from '../storage/transfer/transfer-table.ts';
import { TRANSFER_TABLES } from '../storage/transfer/transfer-tables.ts';
import { RowSummary } from './digest-rows.ts';
import { type ExportedFile, TRANSFER_FORMAT, type TransferManifest } from './manifest.ts';
import { TransferError } from './transfer-error.ts';

/** Contains only the engine, so that a command line tool does not need the service's secret. */
export type TransferRuntime = Pick<Runtime, 'engine'>;

type StoredFile = Pick<ExportedFile, 'file' | 'rows' | 'bytes' | 'sha256'>;

/**
 * Exports all rows of a program, from one snapshot. Rows are read in pages. Tokens, passwords, and encrypted
 * payout details are not exported, because they are secrets.
 * @param write stores the rows of a table; `fraction` is the share of tables that are already stored, from 0 to 1
 * @throws TransferError when the program does not exist, or cannot be exported in its current state
 */
export async function exportProgram(
  { engine }: TransferRuntime,
  programId: number,
  now: number,
  write: (table: string, pages: AsyncIterable<readonly Row[]>, fraction: number) => Promise<StoredFile>,
): Promise<TransferManifest> {
  const workspaceId = await findWorkspaceOfProgram(engine.read, programId);
  if (workspaceId === null) throw new TransferError(`Program ${programId} does not exist`);
  const { fault } = await verifyLedger({ engine }, programId);
  if (fault !== null) throw new TransferError(`The ledger is not consistent: ${fault}`);
  const installation = await engine.write(SERVICE_LANE, findInstallationId, () => []);
  return await engine.snapshot(async (db) => {
    const program = await readTransferProgram(db, programId);
    if (!program) throw new TransferError(`Program ${programId} does not exist`);
    requireFinishedWork(programId, await countUnfinishedWork(db, programId));
    if (await hasPendingPayment(db, { programId, workspaceId })) {
      throw new TransferError(
        `A payment of program ${programId} waits for an event of the processor with more details. Let the server run for 10 minutes, then export again`,
      );
    }
    const files: ExportedFile[] = [];
    const balances = new Map<string, { currency: string; partners: number; balance_cents: number }>();
    for (const [index, table] of TRANSFER_TABLES.entries()) {
      const summary = new RowSummary(table);
      const pages = summarize(readTransferRows(db, table, { programId, workspaceId }), (row) => {
        summary.add(row);
        if (table.name === 'ledger_sums') addBalance(balances, row);
      });
      const stored = await write(table.name, pages, index / TRANSFER_TABLES.length);
      files.push({ table: table.name, ...stored, digest: summary.digest, ids: idsOf(table, summary) });
    }
    const completeFrom = await findClicksCompleteFrom(db);
    const isIncomplete = completeFrom !== null && completeFrom > Number(program['created_at']);
    return {
      format: TRANSFER_FORMAT,
      kind: 'affkit-program' as const,
      export_id: randomUUID(),
      installation,
      created_at: isoTime(now),
      program: { ...program },
      clicks_complete_from: isIncomplete ? isoTime(completeFrom) : null,
      chain: (await findStoredHead(db, programId)) ?? initialChainHead(programId),
      balances: [...balances.values()],
      files,
    };
  });
}

function requireFinishedWork(
  programId: number,
  { tasks, batches }: { readonly tasks: number; readonly batches: number },
): void {
  if (tasks > 0) {
    throw new TransferError(
      `The server has not finished ${tasks} ${tasks === 1 ? 'task' : 'tasks'} of program ${programId}. Let it run until \`affkit status\` lists none, then export again`,
    );
  }
  if (batches > 0) {
    throw new TransferError(
      `Program ${programId} has ${batches} open payout ${batches === 1 ? 'batch' : 'batches'}, which only this installation can finish. Import their results or cancel them, then export again`,
    );
  }
}

async function* summarize(
  pages: AsyncIterable<readonly Row[]>,
  add: (row: Row) => void,
): AsyncGenerator<readonly Row[]> {
  for await (const page of pages) {
    for (const row of page) add(row);
    yield page;
  }
}

function idsOf(table: TransferTable, { ids }: RowSummary): ExportedFile['ids'] {
  return table.columns['id'] === table.name ? ids : null;
}

function addBalance(
  balances: Map<string, { currency: string; partners: number; balance_cents: number }>,
  row: Row,
): void {
  const currency = String(row['currency']);
  const sum = balances.get(currency) ?? { currency, partners: 0, balance_cents: 0 };
  balances.set(currency, {
    currency,
    partners: sum.partners + 1,
    balance_cents: sum.balance_cents + Number(row['balance_cents']),
  });
}
