#!/usr/bin/env node
import { existsSync } from 'node:fs';
import { parseArgs } from 'node:util';
import type { Engine } from '@affkit/core';
import { ConfigError, readDatabaseConfig } from './config.ts';
import { openEngine, throwDatabaseError } from './database.ts';
import { verifyLedgerCommand } from './ledger-command.ts';
import { resetPasswordCommand } from './password-command.ts';
import { runTotals } from './totals-command.ts';

const USAGE = `Usage: affkit COMMAND

Commands:
  totals check [--program ID]    Compare the stored daily totals with the events.
  totals rebuild [--program ID]  Correct the daily totals that differ from the events.
  ledger verify [--program ID]   Verify balances, payouts and the hash chain of the ledger.
  password reset EMAIL           Set a random password, which the user must replace, and end all sessions.

Set DATABASE_URL to the database of the server. The server may run meanwhile.`;

const PROGRAM_COMMANDS = ['totals check', 'totals rebuild', 'ledger verify'] as const;
const PASSWORD_COMMAND = 'password reset';

type Command =
  | {
      readonly name: (typeof PROGRAM_COMMANDS)[number];
      /** `null` selects all programs. */
      readonly programId: number | null;
    }
  | { readonly name: typeof PASSWORD_COMMAND; readonly email: string };

try {
  process.exitCode = await run(process.argv.slice(2));
} catch (error) {
  console.error(error instanceof ConfigError ? error.message : error);
  process.exitCode = 1;
}

async function run(args: readonly string[]): Promise<number> {
  if (args.includes('--help') || args.includes('-h')) {
    console.log(USAGE);
    return 0;
  }
  const command = parseCommand(args);
  if (!command) {
    console.error(USAGE);
    return 1;
  }
  const database = readDatabaseConfig(process.env);
  // The engine would create a missing file.
  if (database.kind === 'sqlite' && !existsSync(database.path)) {
    throw new ConfigError('DATABASE_URL', `names a SQLite file that does not exist: ${database.path}`);
  }
  const engine = await openEngine(database);
  try {
    return await execute(engine, command).catch(throwDatabaseError);
  } finally {
    await engine.close();
  }
}

/** @returns the exit code */
function execute(engine: Engine, command: Command): Promise<number> {
  const print = (line: string) => console.log(line);
  switch (command.name) {
    case 'totals check':
      return runTotals(engine, { action: 'check', programId: command.programId }, print);
    case 'totals rebuild':
      return runTotals(engine, { action: 'rebuild', programId: command.programId }, print);
    case 'ledger verify':
      return verifyLedgerCommand(engine, command.programId, print);
    case 'password reset':
      return resetPasswordCommand(engine, command.email, print);
  }
}

/** @returns `null` when the arguments are not a valid command */
function parseCommand(args: readonly string[]): Command | null {
  try {
    const { positionals, values } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { program: { type: 'string' } },
    });
    const [email, ...rest] = positionals.slice(2);
    if (positionals.slice(0, 2).join(' ') === PASSWORD_COMMAND) {
      const isValid = email !== undefined && rest.length === 0 && values.program === undefined;
      return isValid ? { name: PASSWORD_COMMAND, email } : null;
    }
    const name = PROGRAM_COMMANDS.find((known) => known === positionals.join(' '));
    if (!name) return null;
    if (values.program === undefined) return { name, programId: null };
    return /^\d{1,15}$/.test(values.program) ? { name, programId: Number(values.program) } : null;
  } catch {
    return null;
  }
}
