import { Command, CommanderError } from 'commander';
import { VERSION } from '../version.ts';
import { addAccountCommands } from './account-commands.ts';
import { type CommandContext, helpExamples } from './command-context.ts';
import { addDiagnosticCommands } from './diagnostic-commands.ts';
import { addMaintenanceCommands } from './maintenance-commands.ts';
import { addSetupCommands } from './setup-commands.ts';
import type { Terminal } from './terminal.ts';
import { addTransferCommands } from './transfer/transfer-commands.ts';

const USAGE_ERROR = 2;

/** Runs a command line of `affkit`. @returns the exit code of the process */
export async function runCommandLine(args: readonly string[], terminal: Terminal): Promise<number> {
  let exitCode = 0;
  // Load the code of commands only when one runs, so that help and usage errors appear at once.
  const run: CommandContext['run'] = async (options, command) => {
    const { runCommand } = await import('./command-result.ts');
    exitCode = await runCommand(options, terminal, command);
  };
  const runOnDatabase: CommandContext['runOnDatabase'] = (options, command) =>
    run(options, async (output) => {
      const commands = await import('./database-command.ts');
      return commands.runOnDatabase(command, terminal.env, output, options);
    });
  const context: CommandContext = { terminal, run, runOnDatabase };

  const affkit = new Command('affkit')
    .description('Starts, checks and repairs an Affkit server and its database.')
    .version(VERSION)
    .configureOutput({ writeOut: terminal.write, writeErr: terminal.writeError })
    .exitOverride()
    // A command with subcommands, such as `import`, must not take the options of its subcommands.
    .enablePositionalOptions()
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
  addSetupCommands(affkit, context);
  addDiagnosticCommands(affkit, context);
  addMaintenanceCommands(affkit, context);
  addTransferCommands(affkit, context);
  addAccountCommands(affkit, context);

  try {
    await affkit.parseAsync(args, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return error.exitCode === 0 ? 0 : USAGE_ERROR;
  }
  return exitCode;
}

/** Returns all commands in a group of commands, at any depth. A group with arguments is a command itself. */
function leafCommandsOf(command: Command): Command[] {
  const isCommand = command.commands.length === 0 || command.registeredArguments.length > 0;
  return [...(isCommand ? [command] : []), ...command.commands.flatMap(leafCommandsOf)];
}

/** Returns the words of a command after `affkit`, including its arguments. */
function commandPathOf(command: Command): string[] {
  const names: string[] = [];
  for (let group = command; group.parent; group = group.parent) names.unshift(group.name());
  const args = command.registeredArguments.map((argument) =>
    argument.required ? `<${argument.name()}>` : `[${argument.name()}]`,
  );
  return [...names, ...args];
}
