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
import type { PrintLine } from '../programs-command.ts';
import { ArchiveError, type Manifest, readArchive, readManifest, verifyArchive } from './archive-file.ts';
import { countOf } from './retention-command.ts';

const MANIFEST_NAME = /^clicks-(\d{4}-\d\d)\.json$/;

/**
 * Stores the clicks of all archives in a folder again. You can run the command while the server is running, and
 * any number of times. All archives are verified before the first click is stored.
 * @returns the exit code: 1 if an archive cannot be imported, otherwise 0
 */
export async function importArchives(engine: Engine, folder: string, print: PrintLine): Promise<number> {
  try {
    const archives: { month: Month; manifest: Manifest }[] = [];
    for (const name of (await listNames(folder)).sort()) {
      const [, isoMonth] = MANIFEST_NAME.exec(name) ?? [];
      if (isoMonth === undefined) continue;
      const month = monthOf(Date.parse(`${isoMonth}-01T00:00:00Z`));
      const manifest = await readManifest(folder, month);
      if (!manifest) continue;
      await requireSameInstallation(engine, folder, manifest);
      await verifyArchive(folder, manifest);
      archives.push({ month, manifest });
    }
    if (archives.length === 0) throw new ArchiveError(`${folder} contains no archive`);
    for (const { month, manifest } of archives) {
      const stored = await restoreMonth({ engine }, month, readArchive(folder, manifest));
      if (stored < manifest.rows) {
        throw new ArchiveError(
          `After the import, ${manifest.month} has ${countOf(stored, 'click')}, but the archive has ${manifest.rows}`,
        );
      }
      const isComplete = await completeMonth({ engine }, month, stored);
      const rest = isComplete ? '' : '. Other clicks of the month are still missing';
      print(`${manifest.month}: imported ${countOf(manifest.rows, 'click')}${rest}`);
    }
    await recountBreakdowns(
      engine,
      archives.flatMap(({ manifest }) => manifest.programs.map((program) => program.program_id)),
      print,
    );
    return 0;
  } catch (error) {
    if (!(error instanceof ArchiveError)) throw error;
    print(error.message);
    return 1;
  }
}

/**
 * Counts the breakdowns and the totals of links again. A customer may have come back after the first click was removed.
 * The customer's leads and sales count for the link of that click, which is known again.
 */
async function recountBreakdowns(
  engine: Engine,
  programIds: readonly number[],
  print: PrintLine,
): Promise<void> {
  let corrected = 0;
  for (const programId of new Set(programIds)) corrected += await rebuildBreakdowns({ engine }, programId);
  if (corrected > 0) print(`Corrected ${countOf(corrected, 'total')} that the imported clicks explain`);
}

async function listNames(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    throw new ArchiveError(`${folder} cannot be read`, { cause: error });
  }
}

/** Ids are unique only in one installation, so clicks of another one would get the wrong programs. */
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
