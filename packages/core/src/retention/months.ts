import { setTimeout as delay } from 'node:timers/promises';
import { addUtcMonths } from '../domain/calendar.ts';
import { type Month, monthOf, startOfMonth } from '../domain/month.ts';
import type { Runtime } from '../runtime.ts';
import { SERVICE_LANE } from '../storage/accounts/users.ts';
import {
  type ClickPartition,
  hasKeptTable,
  listClickPartitions,
  lockPartitions,
} from '../storage/database/click-partitions.ts';
import type { Engine, Transaction } from '../storage/database/engine/engine.ts';
import { listWorkspacesOfPrograms } from '../storage/programs/programs.ts';
import {
  copyKeptClicks,
  countClicksOfMonth,
  countRemovableClicks,
  findOldestClickAt,
  listClicksOfMonth,
  listProgramsWithOpenTotals,
  type MonthOfProgram,
  type RemovalRule,
  removeNextClicks,
  replaceMonth,
  restoreClicks,
  type StoredClick,
} from '../storage/tracking/click-history.ts';
import {
  findInstallationId,
  listRemovedMonths,
  markMonth,
  markMonthRemoved,
  type RemovedMonth,
  unmarkMonth,
} from '../storage/tracking/removed-months.ts';
import { listProgramsImportedAfter } from '../storage/transfer/imports.ts';

export type { MonthOfProgram, StoredClick } from '../storage/tracking/click-history.ts';

/** Requires only the engine, so that a command line tool can run without a secret. */
type RetentionRuntime = Pick<Runtime, 'engine'>;

/** A month whose clicks are due to be removed. */
export interface DueMonth {
  readonly month: Month;
  /**
   * The SHA-256 of the archive with which the removal of the month has begun, or null if it has begun without an
   * archive. Undefined if no removal has begun.
   */
  readonly archiveSha256: string | null | undefined;
}

/**
 * Thrown when another run is removing the clicks of the month or has already removed them, or when another process
 * is changing the partitions of clicks. No data is lost.
 */
export class RemovalConflict extends Error {
  override readonly name = 'RemovalConflict';
}

const READ_BATCH_SIZE = 5_000;
/** The batch is small because, on SQLite, new clicks wait while a batch is deleted. */
const REMOVAL_BATCH_SIZE = 500;
const RESTORE_BATCH_SIZE = 1_000;
/** The pause between two batches, as a multiple of the time that a batch took. */
const PAUSE_PER_BATCH = 1;
const NO_LOCK = () => [];

/** Returns the random id of the installation. The id is created on first use. */
export function readInstallationId({ engine }: RetentionRuntime): Promise<string> {
  return engine.write(SERVICE_LANE, findInstallationId, NO_LOCK);
}

/** Lists all programs with their workspaces, including deleted ones. */
export function listProgramWorkspaces({
  engine,
}: RetentionRuntime): Promise<{ id: number; workspaceId: number }[]> {
  return listWorkspacesOfPrograms(engine.read);
}

/**
 * Lists the months that ended at least `months` months ago and whose clicks were not removed yet, oldest first.
 */
export async function listDueMonths(
  { engine }: RetentionRuntime,
  { months, now }: { readonly months: number; readonly now: number },
): Promise<DueMonth[]> {
  const oldest = await findOldestClickAt(engine.read);
  const removed = new Map((await listRemovedMonths(engine.read)).map((one) => [one.month, one]));
  const begun = [...removed.values()].filter((one) => !one.isComplete).map((one) => one.month);
  const first = Math.min(...begun, ...(oldest === null ? [] : [monthOf(oldest)]));
  const due: DueMonth[] = [];
  for (let month = first; month < monthOf(addUtcMonths(now, -months)); month++) {
    const found = removed.get(month);
    if (!found?.isComplete) due.push({ month, archiveSha256: found?.archiveSha256 });
  }
  return due;
}

/** Counts the clicks of each program in a month, without test clicks. Programs without clicks are left out. */
export function countMonth({ engine }: RetentionRuntime, month: Month): Promise<MonthOfProgram[]> {
  return countClicksOfMonth(engine.read, month);
}

/** Reads the clicks of a month, without test clicks, in pages, sorted by program, time, and id. */
export async function* readMonth(
  { engine }: RetentionRuntime,
  month: Month,
  programs: readonly MonthOfProgram[],
): AsyncGenerator<StoredClick[]> {
  for (const { programId } of programs) {
    for (let last: StoredClick | null = null; ; ) {
      const page: StoredClick[] = await listClicksOfMonth(
        engine.read,
        programId,
        month,
        last,
        READ_BATCH_SIZE,
      );
      if (page.length > 0) yield page;
      if (page.length < READ_BATCH_SIZE) break;
      last = page.at(-1) ?? null;
    }
  }
}

/**
 * Whether the jobs have counted all clicks of the month. If uncounted clicks were removed, breakdowns and rankings
 * would lack them permanently.
 */
export async function isMonthCounted(
  { engine }: RetentionRuntime,
  month: Month,
  programs: readonly MonthOfProgram[],
): Promise<boolean> {
  const snapshot = { dialect: engine.dialect, db: engine.read };
  return (await listProgramsWithOpenTotals(snapshot, month, programs)).length === 0;
}

/** Whether a removal of the month has begun. After that, the clicks of the month may be incomplete. */
export async function isRemovalBegun({ engine }: RetentionRuntime, month: Month): Promise<boolean> {
  return (await listRemovedMonths(engine.read)).some((one) => one.month === month);
}

/**
 * Removes the clicks of a month, except clicks that explain a commission, or may still explain one later.
 * Totals do not change. If the process ends before the removal is complete, another call continues it.
 * @throws RemovalConflict when a removal with a different archive has begun, or the clicks are already removed
 * @param options `archiveSha256` is the checksum of the archive that contains all clicks of the month
 */
export async function removeMonth(
  { engine }: RetentionRuntime,
  month: Month,
  options: {
    readonly months: number;
    readonly now: number;
    readonly archiveSha256: string | null;
    readonly programs: readonly MonthOfProgram[];
    /** Receives how much of the month is removed, from 0 to 1. */
    readonly onProgress?: (fraction: number) => void;
  },
): Promise<void> {
  const { months, now, archiveSha256, programs, onProgress = () => {} } = options;
  const clicks = sumOf(programs);
  const startedAt = await engine.write(
    SERVICE_LANE,
    (tx) => markMonth(tx, { month, clicks, archiveSha256 }, now),
    NO_LOCK,
  );
  if (startedAt === null)
    throw new RemovalConflict('Another run is removing the clicks of the month, or has already removed them');
  const removal = { archiveSha256, startedAt };
  const rule = await ruleOf(engine, { months, now }, removal);
  onProgress(0);
  const partition = await findPartitionOf(engine, month);
  if (partition) await dropMonth(engine, month, partition, rule, removal);
  else await deleteMonth(engine, month, programs, rule, onProgress);
  await engine.write(SERVICE_LANE, (tx) => markMonthRemoved(tx, month, now), NO_LOCK);
}

/**
 * Removes clicks that earlier runs kept when they removed a month, but that may be removed now. For example, the
 * customer's attribution window has closed since then. If the month has an archive, only clicks that the archive
 * contains are removed.
 * @param options if `hasArchive`, months that were removed without an archive are skipped, because the clicks would
 * be lost
 * @returns for each month with such clicks, how many there were
 */
export async function* removeKeptClicks(
  { engine }: RetentionRuntime,
  options: {
    readonly months: number;
    readonly now: number;
    readonly hasArchive: boolean;
    readonly onProgress: (month: Month, fraction: number) => void;
  },
): AsyncGenerator<{ readonly month: Month; readonly clicks: number }> {
  const { months, now, hasArchive, onProgress } = options;
  for (const removal of await listRemovedMonths(engine.read)) {
    const { month, isComplete } = removal;
    const rule = await ruleOf(engine, { months, now }, removal);
    const isUnarchived = removal.archiveSha256 === null;
    if (!isComplete || startOfMonth(month) >= rule.keptSince || (hasArchive && isUnarchived)) continue;
    const { dialect } = engine;
    const programs = await engine.snapshot((db) => countRemovableClicks({ dialect, db }, month, rule));
    if (programs.length === 0) continue;
    onProgress(month, 0);
    const partition = await findPartitionOf(engine, month);
    const clicks = sumOf(programs);
    const stored = await countClicksOfMonth(engine.read, month);
    // New clicks wait while a partition is replaced. Therefore, replace it only if most of its clicks are removed.
    if (partition && clicks > sumOf(stored) / 2) await dropMonth(engine, month, partition, rule, removal);
    else {
      const ids = new Set(programs.map(({ programId }) => programId));
      const changed = stored.filter(({ programId }) => ids.has(programId));
      await deleteMonth(engine, month, changed, rule, (fraction) => onProgress(month, fraction));
    }
    yield { month, clicks };
  }
}

/** The time at which the removal of a month began, and the archive that it began with. */
type Removal = Pick<RemovedMonth, 'archiveSha256' | 'startedAt'>;

/** The archive contains only clicks that were stored when the removal began. Later clicks are kept. */
async function ruleOf(
  engine: Engine,
  { months, now }: { readonly months: number; readonly now: number },
  removal: Removal,
): Promise<RemovalRule> {
  return {
    now,
    keptSince: startOfMonth(monthOf(addUtcMonths(now, -months))),
    storedBefore: removal.archiveSha256 === null ? null : removal.startedAt,
    keptPrograms: await listKeptPrograms(engine.read, removal, now),
  };
}

/**
 * Lists the programs whose clicks must be kept because of an import. An import can be finished only if all rows that it
 * has stored still exist. An archive does not contain the clicks of a later import.
 */
function listKeptPrograms(
  db: Engine['read'],
  { archiveSha256, startedAt }: Removal,
  now: number,
): Promise<number[]> {
  return listProgramsImportedAfter(db, archiveSha256 === null ? now : startedAt);
}

function sumOf(programs: readonly MonthOfProgram[]): number {
  return programs.reduce((sum, { clicks }) => sum + clicks, 0);
}

/** @returns null when the month has no partition of its own */
async function findPartitionOf(engine: Engine, month: Month): Promise<ClickPartition | null> {
  if (engine.dialect === 'sqlite') return null;
  const partitions = await listClickPartitions(engine.read);
  return (
    partitions.find(({ from, to }) => from === startOfMonth(month) && to === startOfMonth(month + 1)) ?? null
  );
}

async function dropMonth(
  engine: Engine,
  month: Month,
  partition: ClickPartition,
  rule: RemovalRule,
  removal: Removal,
): Promise<void> {
  const alter = async (work: (tx: Transaction) => Promise<void>) => {
    const isMine = await engine.maintain(async (tx) => {
      if (!(await lockPartitions(tx.db))) return false;
      await work(tx);
      return true;
    });
    if (!isMine) throw new RemovalConflict('Another process is changing the partitions of clicks');
  };
  await alter((tx) => copyKeptClicks(tx, month, rule));
  await alter(async (tx) => {
    // Another run may have replaced the partition since the copy was made.
    if (!(await hasKeptTable(tx.db, month))) return;
    await replaceMonth(tx, month, partition, rule, async () => {
      // The copy does not contain the clicks of an import that began after the copy was made.
      const kept = await listKeptPrograms(tx.db, removal, rule.now);
      if (kept.every((id) => rule.keptPrograms.includes(id))) return;
      throw new RemovalConflict('An import of a program began meanwhile. Run the command again');
    });
  });
}

async function deleteMonth(
  engine: Engine,
  month: Month,
  programs: readonly MonthOfProgram[],
  rule: RemovalRule,
  onProgress: (fraction: number) => void,
): Promise<void> {
  const clicks = sumOf(programs);
  let rows = 0;
  const writer = {
    read: engine.read,
    write: (work: Parameters<Engine['write']>[1]) =>
      engine.write(SERVICE_LANE, work, NO_LOCK).then(() => undefined),
  };
  for (const { programId } of programs) {
    let next: Awaited<ReturnType<typeof removeNextClicks>> = null;
    do {
      const startedAt = performance.now();
      next = await removeNextClicks(writer, { programId, month }, rule, next, REMOVAL_BATCH_SIZE);
      rows += REMOVAL_BATCH_SIZE;
      onProgress(Math.min(1, rows / clicks));
      // The pause lets other processes write, because on SQLite, only one process can write at a time.
      await delay((performance.now() - startedAt) * PAUSE_PER_BATCH);
    } while (next !== null);
  }
}

/**
 * Stores the clicks of an archived month again. Clicks that are still stored do not change. If the process ends
 * before all clicks are stored, another call continues.
 * @param clicks all clicks of the archive
 * @returns the number of clicks that the month contains now, without test clicks
 */
export async function restoreMonth(
  { engine }: RetentionRuntime,
  month: Month,
  clicks: AsyncIterable<StoredClick>,
): Promise<number> {
  let batch: StoredClick[] = [];
  const flush = async () => {
    const rows = batch;
    batch = [];
    if (rows.length > 0) await engine.write(SERVICE_LANE, (tx) => restoreClicks(tx, rows), NO_LOCK);
  };
  for await (const click of clicks) {
    batch.push(click);
    if (batch.length === RESTORE_BATCH_SIZE) await flush();
  }
  await flush();
  const programs = await countClicksOfMonth(engine.read, month);
  return sumOf(programs);
}

/**
 * Marks a month as complete if it contains at least as many clicks as before the removal.
 * @param clicks the result of `restoreMonth`
 * @returns whether the month is complete now
 */
export function completeMonth({ engine }: RetentionRuntime, month: Month, clicks: number): Promise<boolean> {
  return engine.write(SERVICE_LANE, (tx) => unmarkMonth(tx, month, clicks), NO_LOCK);
}
