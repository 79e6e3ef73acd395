import { type Command, InvalidArgumentError } from 'commander';
import {
  addCommand,
  type CommandContext,
  helpExamples,
  type OutputOptions,
  parseProgramId,
} from '../command-context.ts';

/** Adds the commands that move a program to another installation. */
export function addTransferCommands(affkit: Command, { runOnDatabase }: CommandContext): void {
  addCommand(affkit, 'export', 'Write a whole program to a folder, to import it into another installation')
    .argument('<program>', 'id of the program', parseProgramId)
    .requiredOption('--to <folder>', 'folder for the files; it must be empty')
    .addHelpText(
      'after',
      '\nExports one consistent snapshot. Tokens, passwords and payout details are not exported.\n' +
        'You can run an interrupted command again with the same folder. It starts from the beginning.',
    )
    .addHelpText('after', helpExamples('export 7 --to /backup/program-7'))
    .action((programId: number, { to: folder, ...options }: { to: string } & OutputOptions) =>
      runOnDatabase(options, (commands, engine, output) =>
        commands.runExport(engine, { programId, folder, now: Date.now() }, output),
      ),
    );

  addCommand(
    affkit,
    'import',
    'Import a program that affkit export has written, with all its events and money',
  )
    .argument('<folder>', 'folder of the export')
    .option('--workspace <id>', 'workspace that gets the program', parseWorkspaceId)
    .addHelpText(
      'after',
      '\nReports values that exist already before it stores anything. Verifies everything at the end.\n' +
        'You can run an interrupted command again. It continues where it stopped.',
    )
    .addHelpText('after', helpExamples('import /backup/program-7', 'import /backup/program-7 --workspace 2'))
    .action((folder: string, { workspace, ...options }: { workspace?: number } & OutputOptions) =>
      runOnDatabase(options, (commands, engine, output) =>
        commands.runImport(engine, { folder, workspaceId: workspace ?? null }, output),
      ),
    );
}

function parseWorkspaceId(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError('It must be the number of a workspace.');
  return Number(text);
}
