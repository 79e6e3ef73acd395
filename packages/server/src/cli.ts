#!/usr/bin/env node
import { existsSync } from 'node:fs';
import { parseArgs } from 'node:util';
import type { Engine } from '@affkit/core';
import { ConfigError, readDatabaseConfig } from './config.ts';
import { openEngine, refuseDatabase } from './database.ts';
import { runLedger } from './ledger-command.ts';
import { runPassword } from './password-command.ts';
import { runTotals } from './totals-command.ts';

const USAGE =
  'Usage: affkit totals check|rebuild [--program ID], affkit ledger verify [--program ID], or affkit password reset EMAIL, with DATABASE_URL as for the server';

const OF_PROGRAMS = ['totals check', 'totals rebuild', 'ledger verify'] as const;
const OF_A_USER = 'password reset';

type Task =
  | {
      readonly command: (typeof OF_PROGRAMS)[number];
      /** Null = all programs. */
      readonly programId: number | null;
    }
  | { readonly command: typeof OF_A_USER; readonly email: string };

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
  const task = readTask(args);
  if (!task) {
    console.error(USAGE);
    return 1;
  }
  const database = readDatabaseConfig(process.env);
  // The engine would make a new one.
  if (database.kind === 'sqlite' && !existsSync(database.path)) {
    throw new ConfigError('DATABASE_URL', `names no database: there is no file ${database.path}`);
  }
  const engine = await openEngine(database);
  try {
    return await perform(engine, task).catch(refuseDatabase);
  } finally {
    await engine.close();
  }
}

function perform(engine: Engine, task: Task): Promise<number> {
  const print = (line: string) => console.log(line);
  switch (task.command) {
    case 'totals check':
      return runTotals(engine, { action: 'check', programId: task.programId }, print);
    case 'totals rebuild':
      return runTotals(engine, { action: 'rebuild', programId: task.programId }, print);
    case 'ledger verify':
      return runLedger(engine, task.programId, print);
    case 'password reset':
      return runPassword(engine, task.email, print);
  }
}

/** Null where the words are not those of a command. */
function readTask(args: readonly string[]): Task | null {
  try {
    const { positionals, values } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { program: { type: 'string' } },
    });
    const [email, ...more] = positionals.slice(2);
    if (positionals.slice(0, 2).join(' ') === OF_A_USER) {
      const isAsked = email !== undefined && more.length === 0 && values.program === undefined;
      return isAsked ? { command: OF_A_USER, email } : null;
    }
    const command = OF_PROGRAMS.find((known) => known === positionals.join(' '));
    if (!command) return null;
    if (values.program === undefined) return { command, programId: null };
    return /^\d{1,15}$/.test(values.program) ? { command, programId: Number(values.program) } : null;
  } catch {
    return null;
  }
}
