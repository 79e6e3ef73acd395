import {
  countMonth,
  type DueMonth,
  type Engine,
  isMonthCounted,
  isoMonth,
  isRemovalBegun,
  listDueMonths,
  type MonthOfProgram,
  RemovalConflict,
  readInstallationId,
  readMonth,
  removeKeptClicks,
  removeMonth,
} from '@affkit/core';
import { ArchiveError } from '../archive-rows.ts';
import type { CommandOutput, CommandResult } from '../command-result.ts';
import { countOf } from '../count-of.ts';
import { type Manifest, readManifest, verifyArchive, writeArchive, writeManifest } from './archive-file.ts';
import { countRows } from './count-rows.ts';

export interface RetentionOptions {
  /** Clicks are kept for this number of months. */
  readonly months: number;
  /** The folder of the archives. Null removes clicks without an archive. */
  readonly folder: string | null;
  readonly now: number;
}

/** What `--json` prints about a month whose clicks were removed. */
interface RemovedMonth {
  readonly month: string;
  readonly clicks: number;
  /** The file of the archive. Null if the clicks were removed without one. */
  readonly archive: string | null;
}

/** What `--json` prints about clicks that earlier runs had to keep, and that this run removed. */
interface ExpiredClicks {
  readonly month: string;
  readonly clicks: number;
}

/**
 * Archives and removes the clicks of whole months. Also removes clicks that earlier runs had to keep. You can run the
 * command while the server is running. If it is interrupted, run it again. The exit code is 1 if a month could not be
 * archived or removed.
 */
export async function runRetention(
  engine: Engine,
  options: RetentionOptions,
  output: CommandOutput,
): Promise<CommandResult> {
  const due = await listDueMonths({ engine }, options);
  const removed: RemovedMonth[] = [];
  const expired: ExpiredClicks[] = [];
  try {
    for await (const one of removeExpired(engine, options, output)) {
      expired.push(one);
      output.printLine(
        `${one.month}: removed ${countOf(one.clicks, 'click')} that an earlier run had to keep`,
      );
    }
  } catch (error) {
    if (!(error instanceof RemovalConflict)) throw error;
    return { exitCode: 1, data: { removed, expired, error: error.message }, lines: [error.message] };
  }
  for (const one of due) {
    try {
      const month = await removeDueMonth(engine, one, options, output);
      removed.push(month);
      output.printLine(
        `${month.month}: ${month.archive === null ? `had ${month.clicks} clicks before the removal` : `archived ${month.clicks} clicks in ${month.archive}`}`,
      );
    } catch (error) {
      if (!(error instanceof ArchiveError || error instanceof RemovalConflict)) throw error;
      const message = `${isoMonth(one.month)}: ${error.message}`;
      return { exitCode: 1, data: { removed, expired, error: message }, lines: [message] };
    }
  }
  return {
    exitCode: 0,
    data: { removed, expired, error: null },
    lines: [
      due.length === 0
        ? 'No month is due for removal'
        : `Removed the clicks of ${countOf(due.length, 'month')}`,
    ],
  };
}

async function* removeExpired(
  engine: Engine,
  { months, folder, now }: RetentionOptions,
  { progress }: CommandOutput,
): AsyncGenerator<ExpiredClicks> {
  const onProgress = (month: number, fraction: number) =>
    progress.show(`Removing ${isoMonth(month)}`, fraction);
  const hasArchive = folder !== null;
  for await (const one of removeKeptClicks({ engine }, { months, now, hasArchive, onProgress })) {
    yield { month: isoMonth(one.month), clicks: one.clicks };
  }
}

/** @throws ArchiveError or RemovalConflict if the month could not be archived or removed */
async function removeDueMonth(
  engine: Engine,
  one: DueMonth,
  options: RetentionOptions,
  { progress }: CommandOutput,
): Promise<RemovedMonth> {
  const { months, folder, now } = options;
  const { month } = one;
  const name = isoMonth(month);
  const programs = await countMonth({ engine }, month);
  if (one.archiveSha256 === undefined && !(await isMonthCounted({ engine }, month, programs))) {
    throw new ArchiveError(
      'some clicks are not in the totals yet. Keep the server running until it has counted them, then try again.',
    );
  }
  const onArchived = (fraction: number) => progress.show(`Archiving ${name}`, fraction);
  const manifest = folder === null ? null : await archive(engine, folder, one, programs, now, onArchived);
  if (one.archiveSha256 && !manifest) {
    throw new ArchiveError(
      'an earlier run archived the month, but did not remove all of its clicks. Pass the same --archive folder again',
    );
  }
  await removeMonth({ engine }, month, {
    months,
    now,
    archiveSha256: manifest?.sha256 ?? null,
    programs,
    onProgress: (fraction) => progress.show(`Removing ${name}`, fraction),
  });
  return { month: name, clicks: manifest?.rows ?? sumOf(programs), archive: manifest?.file ?? null };
}

/**
 * Returns the verified archive of a month. Writes a new archive if the folder has no complete and undamaged one. If an
 * earlier run has begun to remove the clicks, only the archive of that run is accepted.
 */
async function archive(
  engine: Engine,
  folder: string,
  { month, archiveSha256 }: DueMonth,
  programs: readonly MonthOfProgram[],
  now: number,
  onProgress: (fraction: number) => void,
): Promise<Manifest> {
  const installation = await readInstallationId({ engine });
  const found = await readManifest(folder, month);
  if (found && found.installation !== installation) {
    throw new ArchiveError(`${folder} contains an archive of another installation`);
  }
  if (archiveSha256 !== undefined) {
    if (found?.sha256 !== archiveSha256) {
      throw new ArchiveError(
        archiveSha256 === null
          ? 'an earlier run began to remove the clicks without an archive. Run it again without --archive'
          : `an earlier run archived the month, but did not remove all of its clicks. Its archive is not in ${folder}`,
      );
    }
    await verifyArchive(folder, found);
    return found;
  }
  if (found?.rows === sumOf(programs) && (await isIntact(folder, found))) return found;
  const pages = countRows(
    readMonth({ engine }, month, programs),
    (page) => page.length,
    (rows) => onProgress(rows / sumOf(programs)),
  );
  // The callback runs after all clicks have been read, and before the new file replaces the archive of another run.
  const written = await writeArchive(folder, month, pages, async (rows) => {
    if (await isRemovalBegun({ engine }, month)) {
      throw new ArchiveError('another run is removing the clicks. Try again after it has finished');
    }
    if (rows !== sumOf(programs)) {
      throw new ArchiveError(`the number of clicks changed from ${sumOf(programs)} to ${rows}. Try again`);
    }
  });
  const manifest = {
    installation,
    month: isoMonth(month),
    ...written,
    created_at: new Date(now).toISOString(),
    programs: programs.map(({ programId, workspaceId, clicks }) => ({
      program_id: programId,
      workspace_id: workspaceId,
      rows: clicks,
    })),
  };
  await writeManifest(folder, month, manifest);
  return { format: 1, ...manifest };
}

/**
 * Whether the archive is undamaged. A damaged archive can be written again, because all its clicks are still in the
 * database.
 */
async function isIntact(folder: string, manifest: Manifest): Promise<boolean> {
  try {
    await verifyArchive(folder, manifest);
    return true;
  } catch (error) {
    if (error instanceof ArchiveError) return false;
    throw error;
  }
}

function sumOf(programs: readonly MonthOfProgram[]): number {
  return programs.reduce((sum, { clicks }) => sum + clicks, 0);
}
