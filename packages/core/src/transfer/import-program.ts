import { TRACKING_TOKEN_PREFIX } from '@affkit/protocol';
import { deleteInvitesOfLimitedKeys } from '../access/limited-key-invites.ts';
import { isoTime } from '../domain/calendar.ts';
import { hashToken, makeToken, maskToken } from '../domain/token.ts';
import { rebuildBreakdowns } from '../reporting/breakdowns.ts';
import { rebuildTotals } from '../reporting/totals.ts';
import type { Runtime } from '../runtime.ts';
import { listAllWorkspaces } from '../storage/accounts/workspaces.ts';
import type { Transaction } from '../storage/database/engine/engine.ts';
import type { Row } from '../storage/database/rows.ts';
import { listInvitedPartners, lockPartners } from '../storage/programs/partners.ts';
import { recheckParked } from '../storage/stripe/recheck-parked.ts';
import { findTransactionIdScope } from '../storage/tracking/transaction-ids-setting.ts';
import { CLASHING_TABLES, type Clash, findClashes, findSlugClash } from '../storage/transfer/clashes.ts';
import {
  findImport,
  finishImport,
  type IdRange,
  insertImport,
  loadImportPartners,
  type ProgramImport,
  saveImportProgress,
} from '../storage/transfer/imports.ts';
import type { TransferTable } from '../storage/transfer/transfer-table.ts';
import { TRANSFER_TABLES } from '../storage/transfer/transfer-tables.ts';
import { anchorPayouts, storeTransferRows } from '../storage/transfer/write-rows.ts';
import type { TransferManifest } from './manifest.ts';
import { listPartnerIds, mapRow } from './map-ids.ts';
import { parseProgram } from './parse-row.ts';
import { batchesOf, type ProgramExport } from './program-export.ts';
import { TransferError } from './transfer-error.ts';
import { verifyImport } from './verify-import.ts';

type ImportRuntime = Pick<Runtime, 'engine' | 'randomBytes'>;

/** Thrown when an export contains unique values that already exist in this installation. Nothing was imported. */
export class ImportClash extends TransferError {
  readonly clashes: readonly Clash[];
  constructor(clashes: readonly Clash[]) {
    super('The export contains values that must be unique but already exist in this installation');
    this.clashes = clashes;
  }
}

export interface ImportResult {
  readonly programId: number;
  /** `already_imported` when an earlier run has finished the import. This run then changed nothing. */
  readonly outcome: 'imported' | 'already_imported';
  /** The new tracking token. Null when the import was finished earlier. */
  readonly trackingToken: string | null;
  /** Whether the program got a new id. Click ids that browsers stored before still contain the old id. */
  readonly hasNewId: boolean;
  readonly rows: number;
}

/** The maximum number of reported clashes. */
const MAX_CLASHES = 1_000;

/**
 * Imports a program of another installation. Rows are stored in batches. The transaction that stores a batch also
 * stores the progress. If the process stops, the next call with the same export continues after the last batch.
 * The program is visible only when everything is stored and verified.
 * @param onProgress receives the number of rows that are stored
 * @throws ImportClash before anything is stored
 * @throws TransferError when the export cannot be imported, or differs from what was stored
 */
export async function importProgram(
  runtime: ImportRuntime,
  source: ProgramExport,
  options: { readonly workspaceId: number; readonly now: () => number },
  onProgress: (rows: number) => void = () => {},
): Promise<ImportResult> {
  const { engine } = runtime;
  const { manifest } = source;
  const program = parseProgram(manifest);
  const rows = manifest.files.reduce((sum, file) => sum + file.rows, 0);
  if (!(await listWorkspaces({ engine })).some(({ id }) => id === options.workspaceId)) {
    throw new TransferError(`Workspace ${options.workspaceId} does not exist`);
  }
  const begun = await findImport(engine.read, manifest.export_id);
  if (begun && begun.workspace_id !== options.workspaceId) {
    throw new TransferError(
      `An earlier run has begun to import the program into workspace ${begun.workspace_id}. Pass the same workspace`,
    );
  }
  const one = begun ?? (await beginImport(runtime, source, program, options));
  const result = { programId: one.program_id, hasNewId: one.program_id !== program['id'], rows };
  if (one.finished_at !== null) return { ...result, outcome: 'already_imported', trackingToken: null };
  let done = 0;
  let isStored = one.table_name !== null;
  for (const table of TRANSFER_TABLES) {
    const isCurrent = table.name === one.table_name;
    const skipped = isCurrent ? one.rows_done : isStored ? Number.POSITIVE_INFINITY : 0;
    if (isCurrent) isStored = false;
    if (skipped !== Number.POSITIVE_INFINITY && !table.isDerived) {
      const context = { engine, now: options.now };
      for await (const stored of storeTable(context, source, one, table, skipped)) onProgress(done + stored);
    }
    done += manifest.files.find((file) => file.table === table.name)?.rows ?? 0;
    onProgress(done);
  }
  await engine.write(one.workspace_id, (tx) => anchorPayouts(tx, one.program_id));
  await rebuildTotals(runtime, one.program_id, undefined, 'stored');
  await rebuildBreakdowns(runtime, one.program_id, undefined, 'stored');
  await verifyImport(runtime, one, source);
  const trackingToken = makeToken(TRACKING_TOKEN_PREFIX, runtime.randomBytes);
  const finished = {
    deletedAt: program['deleted_at'] === null ? null : Number(program['deleted_at']),
    tokenHash: hashToken(trackingToken),
    tokenMasked: maskToken(trackingToken),
  };
  await engine.write(one.workspace_id, async (tx) => {
    await finishImport(tx, one, finished, options.now());
    await recheckParked(tx, one.workspace_id, options.now());
  });
  return { ...result, outcome: 'imported', trackingToken };
}

/** Lists all workspaces of the installation. */
export function listWorkspaces({ engine }: Pick<Runtime, 'engine'>): Promise<{ id: number; name: string }[]> {
  return listAllWorkspaces(engine.read);
}

async function beginImport(
  { engine }: ImportRuntime,
  source: ProgramExport,
  program: Row,
  { workspaceId, now }: { readonly workspaceId: number; readonly now: () => number },
): Promise<ProgramImport> {
  const { manifest } = source;
  const ranges = new Map<string, IdRange>();
  for (const { table, ids } of manifest.files) if (ids) ranges.set(table, ids);
  const clashes = await listClashes({ engine }, source, program, workspaceId);
  if (clashes.length > 0) throw new ImportClash(clashes);
  await engine.maintain((tx) =>
    insertImport(tx, { exportId: manifest.export_id, workspaceId, program }, ranges, now()),
  );
  const one = await findImport(engine.read, manifest.export_id);
  if (!one) throw new Error('The import was not stored');
  return one;
}

async function listClashes(
  { engine }: Pick<ImportRuntime, 'engine'>,
  source: ProgramExport,
  program: Row,
  workspaceId: number,
): Promise<Clash[]> {
  const snapshot = { dialect: engine.dialect, db: engine.read };
  const scope = await findTransactionIdScope(engine.read);
  const slugClash = await findSlugClash(snapshot, String(program['slug']));
  const clashes = slugClash ? [slugClash] : [];
  for (const table of TRANSFER_TABLES) {
    if (!CLASHING_TABLES.has(table.name)) continue;
    for await (const batch of batchesOf(source, table, 0)) {
      clashes.push(...(await findClashes(snapshot, table.name, batch, { workspaceId, scope })));
      if (clashes.length >= MAX_CLASHES) return clashes.slice(0, MAX_CLASHES);
    }
  }
  return clashes;
}

/** Stores the rows of a table. Yields the number of stored rows after each batch. */
async function* storeTable(
  context: Pick<Runtime, 'engine' | 'now'>,
  source: ProgramExport,
  one: ProgramImport,
  table: TransferTable,
  skipped: number,
): AsyncGenerator<number> {
  let done = skipped;
  for await (const batch of batchesOf(source, table, skipped)) {
    const from = done;
    done += batch.length;
    await context.engine.write(one.workspace_id, async (tx) => {
      const current = await findImport(tx.db, source.manifest.export_id);
      // If the stored progress is in a later table, another run has passed this one. Do not set the progress back.
      const storedIndex = TRANSFER_TABLES.findIndex(({ name }) => name === current?.table_name);
      const isAtStart = from === 0 && storedIndex < TRANSFER_TABLES.indexOf(table);
      if (!isAtStart && (current?.table_name !== table.name || current.rows_done !== from)) {
        throw new TransferError('Another process is importing the same export. Wait until it has finished');
      }
      const ofPartners = table.name === 'partners' ? [] : listPartnerIds(table, batch);
      const partners =
        table.name === 'partners'
          ? offsetPartners(batch, one.offsets.partners ?? 0)
          : await loadImportPartners(tx.db, one.id, 'source_id', ofPartners);
      const rows = batch.map((row) => mapRow(table, row, { direction: 1, offsets: one.offsets, partners }));
      await storeTransferRows(tx, one, table, rows, batch);
      if (table.name === 'partner_programs') await endInvitesOfLimitedKeys(tx, context, one, rows);
      await saveImportProgress(tx, one.id, table.name, from + batch.length);
    });
    yield done;
  }
}

/** @param enrollments rows of partners in the imported program */
async function endInvitesOfLimitedKeys(
  tx: Transaction,
  context: Pick<Runtime, 'now'>,
  one: ProgramImport,
  enrollments: readonly Row[],
): Promise<void> {
  const partnerIds = enrollments.map((row) => Number(row['partner_id']));
  // Invitations are created under the same lock. A concurrent invitation is therefore either found here or not created.
  await lockPartners(tx, partnerIds);
  for (const partner of await listInvitedPartners(tx.db, partnerIds, context.now())) {
    await deleteInvitesOfLimitedKeys(tx, context, partner, one.program_id);
  }
}

/** Maps each exported partner id to the id that the partner gets if it is new to this installation. */
function offsetPartners(batch: readonly Row[], offset: number): ReadonlyMap<number, number> {
  return new Map(batch.map(({ id }) => [Number(id), Number(id) + offset]));
}

/** @returns a sentence about the clicks that may be missing in an export, or null if none are missing */
export function describeMissingClicks({ clicks_complete_from: from }: TransferManifest): string | null {
  return from === null
    ? null
    : `Clicks from before ${isoTime(Date.parse(from)).slice(0, 10)} may be missing, because retention has removed them`;
}
