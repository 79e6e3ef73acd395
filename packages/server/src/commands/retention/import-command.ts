import { readdir } from 'node:fs/promises';
import {
  completeMonth,
  type Engine,
  listProgramWorkspaces,
  type Month,
  monthOf,
  readInstallationId,
  rebuildBreakdowns,
  restoreMonth,
} from '@affkit/core';
import { ArchiveError } from '../archive-rows.ts';
import type { CommandOutput, CommandResult } from '../command-result.ts';
import { countOf } from '../count-of.ts';
import { type Manifest, readArchive, readManifest, verifyArchive } from './archive-file.ts';
import { countRows } from './count-rows.ts';

const MANIFEST_NAME = /^clicks-(\d{4}-\d\d)\.json$/;

interface Archive {
  readonly month: Month;
  readonly manifest: Manifest;
}

/** What `--json` prints about an imported month. */
interface ImportedMonth {
  readonly month: string;
  readonly clicks: number;
  /** Whether all clicks of the month are stored again. */
  readonly isComplete: boolean;
}

/**
 * Restores the clicks of all archives in a folder. You can run the command while the server is running, and any number
 * of times. All archives are verified before the first click is stored.
 * @throws ArchiveError if an archive cannot be imported
 */
export async function importArchives(
  engine: Engine,
  folder: string,
  output: CommandOutput,
): Promise<CommandResult> {
  const archives = await readArchives(engine, folder, output);
  const imported: ImportedMonth[] = [];
  for (const archive of archives) {
    const month = await importMonth(engine, folder, archive, output);
    imported.push(month);
    const rest = month.isComplete ? '' : '. Other clicks of the month are still missing';
    output.printLine(`${month.month}: imported ${countOf(month.clicks, 'click')}${rest}`);
  }
  const corrected = await recountBreakdowns(engine, archives, output);
  return {
    exitCode: 0,
    data: { imported, correctedTotals: corrected },
    lines: corrected === 0 ? [] : [`Corrected ${countOf(corrected, 'total')} to match the imported clicks`],
  };
}

/** Lists the archives of a folder and verifies each. @throws ArchiveError */
async function readArchives(engine: Engine, folder: string, { progress }: CommandOutput): Promise<Archive[]> {
  const archives: Archive[] = [];
  const names = (await listNames(folder)).sort();
  for (const [index, name] of names.entries()) {
    const [, isoMonth] = MANIFEST_NAME.exec(name) ?? [];
    if (isoMonth === undefined) continue;
    progress.show('Verifying the archives', index / names.length);
    const month = monthOf(Date.parse(`${isoMonth}-01T00:00:00Z`));
    const manifest = await readManifest(folder, month);
    if (!manifest) continue;
    await requireSameInstallation(engine, folder, manifest);
    await verifyArchive(folder, manifest);
    archives.push({ month, manifest });
  }
  if (archives.length === 0) throw new ArchiveError(`${folder} contains no archive`);
  return archives;
}

async function importMonth(
  engine: Engine,
  folder: string,
  { month, manifest }: Archive,
  { progress }: CommandOutput,
): Promise<ImportedMonth> {
  const onRow = (rows: number) => progress.show(`Importing ${manifest.month}`, rows / manifest.rows);
  const stored = await restoreMonth(
    { engine },
    month,
    countRows(readArchive(folder, manifest), () => 1, onRow),
  );
  if (stored < manifest.rows) {
    throw new ArchiveError(
      `After the import, ${manifest.month} has ${countOf(stored, 'click')}, but the archive has ${manifest.rows}`,
    );
  }
  const isComplete = await completeMonth({ engine }, month, stored);
  return { month: manifest.month, clicks: manifest.rows, isComplete };
}

/**
 * Recounts the breakdowns and the totals of links. If the first click of a customer was removed, the customer's leads
 * and sales count for no link, and their country and other values are unknown. The import may have restored that click.
 */
async function recountBreakdowns(
  engine: Engine,
  archives: readonly Archive[],
  { progress }: CommandOutput,
): Promise<number> {
  const ids = archives.flatMap(({ manifest }) => manifest.programs.map(({ program_id: id }) => id));
  let corrected = 0;
  for (const id of new Set(ids)) {
    corrected += await rebuildBreakdowns({ engine }, id, (fraction) =>
      progress.show(`Counting the breakdowns of program ${id}`, fraction),
    );
  }
  return corrected;
}

async function listNames(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    throw new ArchiveError(`${folder} cannot be read`, { cause: error });
  }
}

/** Ids are unique only in one installation, so clicks of another installation would get the wrong programs. */
async function requireSameInstallation(engine: Engine, folder: string, manifest: Manifest): Promise<void> {
  if (manifest.installation !== (await readInstallationId({ engine }))) {
    throw new ArchiveError(`${folder}/${manifest.file} was archived by another installation`);
  }
  const workspaces = new Map(
    (await listProgramWorkspaces({ engine })).map(({ id, workspaceId }) => [id, workspaceId]),
  );
  for (const { program_id: programId, workspace_id: expected } of manifest.programs) {
    const found = workspaces.get(programId);
    if (found !== expected) {
      throw new ArchiveError(
        `${folder}/${manifest.file} contains program ${programId} of workspace ${expected}, but ${
          found === undefined ? 'the program does not exist' : `the program belongs to workspace ${found}`
        }`,
      );
    }
  }
}
