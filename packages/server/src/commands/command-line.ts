import { Argument, Command, CommanderError, InvalidArgumentError } from 'commander';
import type { TransactionIds } from '../config.ts';
import { VERSION } from '../version.ts';
import type { DatabaseCommand } from './database-command.ts';
import { addDiagnosticCommands } from './diagnostic-commands.ts';
import type { LinkKind } from './link-command.ts';
import type { Terminal } from './terminal.ts';

const USAGE_ERROR = 2;
/** Citus recommends 32 to 128. Four times as many workers can later share them. */
const DEFAULT_SHARDS = 32;
const MAX_SHARDS = 1024;
const transactionIdScopes: readonly TransactionIds[] = ['service', 'workspace'];

/** Runs a command line of `affkit`. @returns the exit code of the process */
export async function runCommandLine(args: readonly string[], terminal: Terminal): Promise<number> {
  let exitCode = 0;
  const printLine = (line: string) => terminal.write(`${line}\n`);
  /** Loads the code of commands only now, so that help and usage errors appear at once. */
  const runDatabaseCommand = async (command: DatabaseCommand) => {
    const { runDatabaseCommand: runOnDatabase } = await import('./database-command.ts');
    exitCode = await runOnDatabase(command, terminal);
  };

  const affkit = new Command('affkit')
    .description('Starts, checks and repairs an Affkit server and its database.')
    .version(VERSION)
    .configureOutput({ writeOut: terminal.write, writeErr: terminal.writeError })
    .exitOverride()
    .configureHelp({
      visibleCommands: (command) => command.commands.flatMap(leafCommandsOf),
      subcommandTerm: (command) => commandPathOf(command).join(' '),
    })
    .showHelpAfterError('Run affkit --help for the commands and their options.')
    .addHelpText(
      'after',
      '\nSet DATABASE_URL to the database of the server. The default is sqlite:./data/affkit.db.\n' +
        'Without a command, affkit starts the server. You can run the other commands while the server runs,\n' +
        'except transaction-ids and cluster init.',
    )
    .addHelpText('after', helpExamples('totals check', 'ledger verify --program 7'));

  affkit
    .command('start')
    .description('Start the server. Configure it with environment variables')
    .addHelpText('after', helpExamples('start'))
    .action(async () => {
      await import('../serve.ts');
    });

  affkit
    .command('migrate')
    .description('Create the tables of the database, or migrate them to this version, and exit')
    .option('--json', 'print JSON', false)
    .addHelpText(
      'after',
      '\nThe server also migrates when it starts. Use this command to migrate before new servers start.\n' +
        'Several processes can run it at the same time.',
    )
    .addHelpText('after', helpExamples('migrate', 'migrate --json'))
    .action(async ({ json }: { json: boolean }) => {
      const { runDatabaseCommand: runOnDatabase } = await import('./database-command.ts');
      exitCode = await runOnDatabase(
        (commands, engine) => commands.runMigrate(engine, { json }, terminal),
        terminal,
        { createsFile: true },
      );
    });

  addDiagnosticCommands(affkit, {
    terminal,
    setExitCode: (code) => {
      exitCode = code;
    },
    runDatabaseCommand,
    parseProgramId,
    helpExamples,
  });

  const totals = affkit
    .command('totals')
    .helpCommand(false)
    .description('Daily totals, which the dashboard reads');
  programCommand(totals, 'check', 'Compare the stored daily totals with the events')
    .addHelpText('after', '\nExits with 1 if a total is wrong.')
    .addHelpText('after', helpExamples('totals check', 'totals check --program 7'))
    .action(({ program: programId = null }) =>
      runDatabaseCommand((commands, engine) =>
        commands.runTotals(engine, { action: 'check', programId }, printLine),
      ),
    );
  programCommand(totals, 'rebuild', 'Correct the daily totals that differ from the events')
    .addHelpText('after', helpExamples('totals rebuild', 'totals rebuild --program 7'))
    .action(({ program: programId = null }) =>
      runDatabaseCommand((commands, engine) =>
        commands.runTotals(engine, { action: 'rebuild', programId }, printLine),
      ),
    );

  const breakdowns = affkit
    .command('breakdowns')
    .helpCommand(false)
    .description('Daily counts by country, referrer, device and page');
  programCommand(breakdowns, 'check', 'Compare the stored breakdowns with the events')
    .addHelpText('after', '\nExits with 1 if a total is wrong.')
    .addHelpText('after', helpExamples('breakdowns check', 'breakdowns check --program 7'))
    .action(({ program: programId = null }) =>
      runDatabaseCommand((commands, engine) =>
        commands.runBreakdowns(engine, { action: 'check', programId }, printLine),
      ),
    );
  programCommand(breakdowns, 'rebuild', 'Correct the breakdowns that differ from the events')
    .addHelpText('after', helpExamples('breakdowns rebuild', 'breakdowns rebuild --program 7'))
    .action(({ program: programId = null }) =>
      runDatabaseCommand((commands, engine) =>
        commands.runBreakdowns(engine, { action: 'rebuild', programId }, printLine),
      ),
    );

  const ledger = affkit
    .command('ledger')
    .helpCommand(false)
    .description('The ledger of commissions and payouts');
  programCommand(ledger, 'verify', 'Verify balances, payouts and the hash chain')
    .addHelpText(
      'after',
      '\nPrints the counts. If the ledger is not consistent, prints the first problem and exits with 1.',
    )
    .addHelpText('after', helpExamples('ledger verify', 'ledger verify --program 7'))
    .action(({ program: programId = null }) =>
      runDatabaseCommand((commands, engine) => commands.verifyLedgerCommand(engine, programId, printLine)),
    );

  defineRetention(affkit, runDatabaseCommand, printLine);
  const cluster = affkit
    .command('cluster')
    .helpCommand(false)
    .description('The Citus cluster that stores the database');
  cluster
    .command('init')
    .description('Distribute the tables of a migrated database. Stop every server of the database first')
    .option('--shards <count>', 'shards of each distributed table', parseShardCount, DEFAULT_SHARDS)
    .option('--yes', 'also move tables that contain rows', false)
    .addHelpText('after', '\nIf the command is stopped, run it again. It continues where it stopped.')
    .addHelpText('after', helpExamples('cluster init', 'cluster init --shards 64 --yes'))
    .action(({ shards, yes: movesRows }: { shards: number; yes: boolean }) =>
      runDatabaseCommand((commands, engine) =>
        commands.clusterCommand(engine, { name: 'init', shards, movesRows }, printLine),
      ),
    );
  const describeCluster = (name: 'status' | 'rebalance-plan', description: string) => {
    cluster
      .command(name)
      .description(description)
      .option('--json', 'print JSON', false)
      .addHelpText('after', helpExamples(`cluster ${name}`, `cluster ${name} --json`))
      .action(({ json }: { json: boolean }) =>
        runDatabaseCommand((commands, engine) => commands.clusterCommand(engine, { name, json }, printLine)),
      );
  };
  describeCluster('status', 'List the servers and the tables. Exits with 1 if a table is not as expected');
  describeCluster('rebalance-plan', 'List the shards that Citus would move to balance the workers');

  const password = affkit.command('password').helpCommand(false).description('Passwords of users');
  password
    .command('reset')
    .description('Set a random password and end all sessions. The user must then choose a password')
    .argument('<email>', 'email address of the user')
    .addHelpText('after', helpExamples('password reset you@your-shop.example'))
    .action((email: string) =>
      runDatabaseCommand((commands, engine) => commands.resetPasswordCommand(engine, email, printLine)),
    );

  const defineLink = (kind: LinkKind, name: string, description: string) => {
    affkit
      .command(name)
      .description(description)
      .argument('<email>', 'email address of the user')
      .addHelpText(
        'after',
        '\nSet PUBLIC_URL to the URL of the server. The default is http://localhost:PORT.',
      )
      .addHelpText('after', helpExamples(`${name} you@your-shop.example`))
      .action((email: string) =>
        runDatabaseCommand(async (commands, engine) =>
          commands.linkCommand(
            engine,
            { kind, email, publicUrl: commands.readPublicUrl(terminal.env) },
            printLine,
          ),
        ),
      );
  };
  defineLink(
    'signIn',
    'sign-in-link',
    'Print a link that signs a user in without a password. It works once, for ten minutes',
  );
  defineLink(
    'passwordReset',
    'password-reset-link',
    'Print a link with which a user can set a new password. It works once, for 30 minutes',
  );

  affkit
    .command('transaction-ids')
    .description('Set where transaction ids must be unique. Stop every server of the database first')
    .addArgument(new Argument('<scope>', 'the whole service, or each workspace').choices(transactionIdScopes))
    .addHelpText('after', '\nThen start every server with the same TRANSACTION_IDS.')
    .addHelpText('after', helpExamples('transaction-ids workspace'))
    .action((scope: TransactionIds) =>
      runDatabaseCommand((commands, engine) => commands.transactionIdsCommand(engine, scope, printLine)),
    );

  try {
    await affkit.parseAsync(args, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return error.exitCode === 0 ? 0 : USAGE_ERROR;
  }
  return exitCode;
}

function defineRetention(
  affkit: Command,
  runDatabaseCommand: (command: DatabaseCommand) => Promise<void>,
  printLine: (line: string) => void,
): void {
  const retention = affkit
    .command('retention')
    .helpCommand(false)
    .description('Clicks of past months: archive, remove, and import');
  retention
    .command('run', { isDefault: true })
    .description('Remove the clicks of old months. The totals stay')
    .requiredOption('--clicks <age>', 'keep the clicks of this many months, such as 13mo', parseMonths)
    .option('--archive <folder>', 'first archive the clicks in this folder')
    .addHelpText(
      'after',
      '\nKeeps every click of a customer with a lead, a sale, or an open attribution window.\n' +
        'Without --archive, all other clicks of these months are lost. You can run an interrupted command again.',
    )
    .addHelpText(
      'after',
      helpExamples('retention --clicks 13mo --archive /backup/clicks', 'retention --clicks 25mo'),
    )
    .action(({ clicks: months, archive }: { clicks: number; archive?: string }) =>
      runDatabaseCommand((commands, engine) =>
        commands.runRetention(engine, { months, folder: archive ?? null, now: Date.now() }, printLine),
      ),
    );
  retention
    .command('import')
    .description('Import the clicks of all archives in a folder')
    .argument('<folder>', 'folder of the archives')
    .addHelpText('after', '\nVerifies every archive first. You can run it again.')
    .addHelpText('after', helpExamples('retention import /backup/clicks'))
    .action((folder: string) =>
      runDatabaseCommand((commands, engine) => commands.importArchives(engine, folder, printLine)),
    );
}

/** Returns all commands in a group of commands, at any depth. */
function leafCommandsOf(command: Command): Command[] {
  return command.commands.length === 0 ? [command] : command.commands.flatMap(leafCommandsOf);
}

/** Returns the words of a command after `affkit`, including its arguments. */
function commandPathOf(command: Command): string[] {
  const words = [command.name(), ...command.registeredArguments.map((argument) => `<${argument.name()}>`)];
  return command.parent?.parent ? [...commandPathOf(command.parent), ...words] : words;
}

function programCommand(group: Command, name: string, description: string) {
  return group
    .command(name)
    .description(description)
    .option('--program <id>', 'only this program', parseProgramId);
}

function parseMonths(text: string): number {
  const [, digits] = /^(\d{1,4})mo$/.exec(text) ?? [];
  const months = Number(digits ?? 0);
  if (months === 0) throw new InvalidArgumentError('It must be a number of months, such as 13mo.');
  return months;
}

function parseProgramId(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError('It must be the number of a program.');
  return Number(text);
}

function parseShardCount(text: string): number {
  const count = Number(text);
  if (Number.isInteger(count) && count >= 1 && count <= MAX_SHARDS) return count;
  throw new InvalidArgumentError(`It must be a number from 1 to ${MAX_SHARDS}.`);
}

function helpExamples(...commands: readonly string[]): string {
  return `\nExamples:\n${commands.map((command) => `  affkit ${command}`).join('\n')}`;
}
