import { describeMissingClicks, type Engine, exportProgram, TransferError } from '@affkit/core';
import { CommandError, type CommandOutput, type CommandResult } from '../command-result.ts';
import { countOf } from '../count-of.ts';
import { requireUnusedFolder, writeTable, writeTransferManifest } from './export-folder.ts';

export interface ExportOptions {
  readonly programId: number;
  readonly folder: string;
  readonly now: number;
}

/** What the operator must do after the export. Otherwise, both installations pay the same balances. */
const NEXT_STEP =
  'From now on, only the new installation may pay the partners of this program. In the old one, set schedule_day to null, dismiss proposed payouts, and leave pending payouts unpaid';

/**
 * Writes all rows of a program to a folder. You can run the command while the server is running.
 * @throws CommandError if the program cannot be exported
 */
export async function runExport(
  engine: Engine,
  { programId, folder, now }: ExportOptions,
  { progress }: CommandOutput,
): Promise<CommandResult> {
  try {
    await requireUnusedFolder(folder);
    const manifest = await exportProgram({ engine }, programId, now, (table, pages, fraction) => {
      progress.show('Exporting', fraction);
      return writeTable(folder, table, pages);
    });
    await writeTransferManifest(folder, manifest);
    const files = manifest.files.map(({ table, file, rows }) => ({ table, file, rows }));
    const total = files.reduce((sum, { rows }) => sum + rows, 0);
    const warning = describeMissingClicks(manifest);
    return {
      exitCode: 0,
      data: { export_id: manifest.export_id, folder, rows: total, files, warning, next_step: NEXT_STEP },
      lines: [
        ...files.filter(({ rows }) => rows > 0).map(({ table, rows }) => `${table}: ${rows}`),
        ...(warning === null
          ? []
          : [`Warning: ${warning}. To export them, first run affkit retention import`]),
        `Exported program ${programId} to ${folder}: ${countOf(total, 'row')}`,
        NEXT_STEP,
      ],
    };
  } catch (error) {
    if (!(error instanceof TransferError)) throw error;
    throw new CommandError(error.message, { cause: error });
  }
}
