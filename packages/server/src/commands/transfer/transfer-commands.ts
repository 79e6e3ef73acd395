import { type Command, InvalidArgumentError, Option } from 'commander';
import {
  addCommand,
  type CommandContext,
  helpExamples,
  type OutputOptions,
  parseProgramId,
} from '../command-context.ts';
import { VENDORS } from './vendors/index.ts';
import type { Vendor } from './vendors/vendor.ts';

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

  const importCommand = addCommand(
    affkit,
    'import',
    'Import a program that affkit export has written, with all its events and money',
  )
    .argument('<folder>', 'folder of the export')
    .option('--workspace <id>', 'workspace that gets the program', parseWorkspaceId)
    .addHelpText(
      'after',
      '\nIf values that must be unique exist already, the command lists them and stores nothing.\n' +
        'At the end, it compares all stored rows with the export, and verifies the ledger and the totals.\n' +
        'You can run an interrupted command again. It continues where it stopped.',
    )
    .addHelpText('after', helpExamples('import /backup/program-7', 'import /backup/program-7 --workspace 2'))
    .action((folder: string, { workspace, ...options }: { workspace?: number } & OutputOptions) =>
      runOnDatabase(options, (commands, engine, output) =>
        commands.runImport(engine, { folder, workspaceId: workspace ?? null }, output),
      ),
    );
  importCommand.enablePositionalOptions();
  // Without this check, `affkit import --workspace 2 rewardful` would ignore the workspace.
  importCommand.hook('preSubcommand', (group, vendor) => {
    const early = group.options.find(
      (option) => group.getOptionValueSource(option.attributeName()) === 'cli',
    );
    if (early)
      group.error(`error: write '${early.long}' after '${vendor.name()}', if it is one of its options`);
  });
  for (const vendor of VENDORS) addVendorImport(importCommand, vendor, { runOnDatabase });
}

interface VendorOptions extends OutputOptions {
  readonly from: string;
  readonly program?: string;
  readonly amounts?: 'minor' | 'major';
  readonly dryRun: boolean;
}

/** Adds the command that imports the CSV files of another affiliate service. */
function addVendorImport(
  importCommand: Command,
  vendor: Vendor,
  { runOnDatabase }: Pick<CommandContext, 'runOnDatabase'>,
): void {
  const { name, title, amounts: unit } = vendor;
  addCommand(importCommand, name, `Import partners, customers and commissions from CSV files of ${title}`)
    .requiredOption('--from <folder>', 'folder with the CSV files')
    .option('--program <slug>', 'program that gets the data; required if there are several')
    .option('--dry-run', 'report what an import would do, and write nothing', false)
    .addOption(
      new Option(
        '--amounts <unit>',
        `unit of the amounts: minor, such as cents, or major (default: ${unit})`,
      ).choices(['minor', 'major']),
    )
    .addHelpText(
      'after',
      '\nReports how it uses each column, and which rows it skips. Each row is imported once.\n' +
        'You can run an interrupted command again. The exit code is 1 if rows were skipped.',
    )
    .addHelpText(
      'after',
      helpExamples(
        `import ${name} --from ./${name}-export --dry-run`,
        `import ${name} --from ./${name}-export --program my-shop`,
      ),
    )
    .action(({ from: folder, program, amounts, dryRun: isDryRun, ...options }: VendorOptions) =>
      runOnDatabase(options, (commands, engine, output) =>
        commands.runVendorImport(
          engine,
          {
            vendor,
            folder,
            programSlug: program ?? null,
            amounts: amounts ?? null,
            isDryRun,
            now: Date.now,
          },
          output,
        ),
      ),
    );
}

function parseWorkspaceId(text: string): number {
  if (!/^\d{1,15}$/.test(text))
    throw new InvalidArgumentError('It must be the id of a workspace, such as 1.');
  return Number(text);
}
