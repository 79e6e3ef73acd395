import { type Command, InvalidArgumentError } from 'commander';
import type { RunCommand } from './command-result.ts';
import type { DatabaseCommand, DatabaseCommandOptions } from './database-command.ts';
import type { Terminal } from './terminal.ts';

/** The options of every command that prints a result. */
export interface OutputOptions {
  readonly json: boolean;
}

/** Passed to the functions that add commands. `run` and `runOnDatabase` run a command and print its result. */
export interface CommandContext {
  readonly terminal: Terminal;
  run(options: OutputOptions, command: RunCommand): Promise<void>;
  /** Runs a command on the database in `DATABASE_URL`, and prints its result. */
  runOnDatabase(options: OutputOptions & DatabaseCommandOptions, command: DatabaseCommand): Promise<void>;
}

/** Adds a group of commands, such as `totals`. */
export function addGroup(affkit: Command, name: string, description: string): Command {
  return affkit.command(name).helpCommand(false).description(description);
}

/** Adds a command that prints a result. */
export function addCommand(parent: Command, name: string, description: string): Command {
  return parent.command(name).description(description).option('--json', 'print JSON', false);
}

/** Adds a command that processes all programs, or only the program in the option `--program`. */
export function addProgramCommand(parent: Command, name: string, description: string): Command {
  return addCommand(parent, name, description).option('--program <id>', 'only this program', parseProgramId);
}

export function helpExamples(...commands: readonly string[]): string {
  return `\nExamples:\n${commands.map((command) => `  affkit ${command}`).join('\n')}`;
}

export function parseProgramId(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError('It must be the id of a program, such as 7.');
  return Number(text);
}
