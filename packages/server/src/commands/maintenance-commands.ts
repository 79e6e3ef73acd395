import { Argument, type Command, InvalidArgumentError } from 'commander';
import type { TransactionIds } from '../config.ts';
import {
  addCommand,
  addGroup,
  addProgramCommand,
  type CommandContext,
  helpExamples,
  type OutputOptions,
} from './command-context.ts';

const MAX_SHARDS = 1024;
const transactionIdScopes: readonly TransactionIds[] = ['service', 'workspace'];

interface ProgramOptions extends OutputOptions {
  readonly program?: number | null;
}

/** Adds the commands that check, correct, and rearrange the stored data. */
export function addMaintenanceCommands(affkit: Command, context: CommandContext): void {
  const { terminal, runOnDatabase } = context;
  addCommand(
    affkit,
    'migrate',
    'Create the tables of the database, or migrate them to this version, and exit',
  )
    .addHelpText(
      'after',
      '\nThe server also migrates when it starts. Use this command to migrate before new servers start.\n' +
        'Several processes can run it at the same time.',
    )
    .addHelpText('after', helpExamples('migrate', 'migrate --json'))
    .action((options: OutputOptions) =>
      runOnDatabase({ ...options, createsFile: true, acceptsAnyVersion: true }, (commands, engine) =>
        commands.runMigrate(engine, terminal),
      ),
    );
  addTotalsCommands(affkit, context);
  const ledger = addGroup(affkit, 'ledger', 'The ledger of commissions and payouts');
  addProgramCommand(ledger, 'verify', 'Verify balances, payouts and the hash chain')
    .addHelpText(
      'after',
      '\nPrints the counts. If the ledger is not consistent, prints the first problem and exits with 1.',
    )
    .addHelpText('after', helpExamples('ledger verify', 'ledger verify --program 7'))
    .action(({ program = null, ...options }: ProgramOptions) =>
      runOnDatabase(options, (commands, engine, output) =>
        commands.verifyLedgerCommand(engine, program, output),
      ),
    );
  addRetentionCommands(affkit, context);
  addClusterCommands(affkit, context);
  addCommand(
    affkit,
    'transaction-ids',
    'Set where transaction ids must be unique. First stop every server that uses the database',
  )
    .addArgument(
      new Argument(
        '<scope>',
        'where an id must be unique: in the whole service, or only in its workspace',
      ).choices(transactionIdScopes),
    )
    .addHelpText('after', '\nThen start every server with the same TRANSACTION_IDS.')
    .addHelpText('after', helpExamples('transaction-ids workspace'))
    .action((scope: TransactionIds, options: OutputOptions) =>
      runOnDatabase(options, (commands, engine) => commands.transactionIdsCommand(engine, scope)),
    );
}

function addTotalsCommands(affkit: Command, { runOnDatabase }: CommandContext): void {
  const groups = [
    {
      name: 'totals',
      command: 'runTotals',
      description: 'Daily totals, which the dashboard reads',
      totals: 'daily totals',
    },
    {
      name: 'breakdowns',
      command: 'runBreakdowns',
      description: 'Daily counts by country, referrer, device and page',
      totals: 'breakdowns',
    },
  ] as const;
  for (const { name, command, description, totals } of groups) {
    const group = addGroup(affkit, name, description);
    const runAction =
      (action: 'check' | 'rebuild') =>
      ({ program: programId = null, ...options }: ProgramOptions) =>
        runOnDatabase(options, (commands, engine, output) =>
          commands[command](engine, { action, programId }, output),
        );
    addProgramCommand(group, 'check', `Compare the stored ${totals} with the events`)
      .addHelpText('after', '\nExits with 1 if a total is wrong.')
      .addHelpText('after', helpExamples(`${name} check`, `${name} check --program 7`))
      .action(runAction('check'));
    addProgramCommand(group, 'rebuild', `Correct the ${totals} that differ from the events`)
      .addHelpText('after', helpExamples(`${name} rebuild`, `${name} rebuild --program 7`))
      .action(runAction('rebuild'));
  }
}

function addRetentionCommands(affkit: Command, { runOnDatabase }: CommandContext): void {
  const retention = addGroup(affkit, 'retention', 'Clicks of past months: archive, remove, and import');
  retention
    .command('run', { isDefault: true })
    .description('Remove the clicks of old months. The totals stay')
    .requiredOption('--clicks <age>', 'keep the clicks of this many months, such as 13mo', parseMonths)
    .option('--archive <folder>', 'first archive the clicks in this folder')
    .option('--json', 'print JSON', false)
    .addHelpText(
      'after',
      '\nKeeps every click of a customer with a lead, a sale, or an open attribution window.\n' +
        'All other clicks of these months are removed. Without --archive, they are lost. You can run an interrupted command again.',
    )
    .addHelpText(
      'after',
      helpExamples('retention --clicks 13mo --archive /backup/clicks', 'retention --clicks 25mo'),
    )
    .action(({ clicks: months, archive, ...options }: { clicks: number; archive?: string } & OutputOptions) =>
      runOnDatabase(options, (commands, engine, output) =>
        commands.runRetention(engine, { months, folder: archive ?? null, now: Date.now() }, output),
      ),
    );
  addCommand(retention, 'import', 'Import the clicks of all archives in a folder')
    .argument('<folder>', 'folder of the archives')
    .addHelpText('after', '\nVerifies every archive first. You can run it again.')
    .addHelpText('after', helpExamples('retention import /backup/clicks'))
    .action((folder: string, options: OutputOptions) =>
      runOnDatabase(options, (commands, engine, output) => commands.importArchives(engine, folder, output)),
    );
}

function addClusterCommands(affkit: Command, { runOnDatabase }: CommandContext): void {
  const cluster = addGroup(affkit, 'cluster', 'The Citus cluster that stores the database');
  addCommand(
    cluster,
    'init',
    'Distribute the tables of a migrated database. First stop every server that uses the database',
  )
    .option(
      '--shards <count>',
      'shards of each distributed table (default: 4 for each worker, at least 8)',
      parseShardCount,
    )
    .option('--yes', 'also move tables that contain rows', false)
    .addHelpText('after', '\nIf the command is stopped, run it again. It continues where it stopped.')
    .addHelpText('after', helpExamples('cluster init', 'cluster init --shards 64 --yes'))
    .action(({ shards, yes: movesRows, ...options }: { shards?: number; yes: boolean } & OutputOptions) =>
      runOnDatabase(options, (commands, engine, output) =>
        commands.clusterCommand(engine, { name: 'init', shards, movesRows }, output),
      ),
    );
  const addDescription = (name: 'status' | 'rebalance-plan', description: string) => {
    addCommand(cluster, name, description)
      .addHelpText('after', helpExamples(`cluster ${name}`, `cluster ${name} --json`))
      .action((options: OutputOptions) =>
        runOnDatabase(options, (commands, engine, output) =>
          commands.clusterCommand(engine, { name }, output),
        ),
      );
  };
  addDescription('status', 'List the servers and the tables. Exits with 1 if a table is not as expected');
  addDescription('rebalance-plan', 'List the shards that Citus would move to balance the workers');
}

function parseMonths(text: string): number {
  const [, digits] = /^(\d{1,4})mo$/.exec(text) ?? [];
  const months = Number(digits ?? 0);
  if (months === 0) throw new InvalidArgumentError('It must be a number of months, such as 13mo.');
  return months;
}

function parseShardCount(text: string): number {
  const count = Number(text);
  if (Number.isInteger(count) && count >= 1 && count <= MAX_SHARDS) return count;
  throw new InvalidArgumentError(`It must be a number from 1 to ${MAX_SHARDS}.`);
}
