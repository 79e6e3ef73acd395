#!/usr/bin/env node
import { existsSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { ConfigError, readDatabaseConfig } from './config.ts';
import { openEngine, refuseDatabase } from './database.ts';
import { runTotals } from './totals-command.ts';

const USAGE = 'Usage: affkit totals check|rebuild [--program ID], with DATABASE_URL as for the server';

try {
  process.exitCode = await run(process.argv.slice(2));
} catch (error) {
  console.error(error instanceof ConfigError ? error.message : error);
  process.exitCode = 1;
}

async function run(args: readonly string[]): Promise<number> {
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
    return await runTotals(engine, task, (line) => console.log(line)).catch(refuseDatabase);
  } finally {
    await engine.close();
  }
}

/** Null where the words are not those of a command. */
function readTask(args: readonly string[]) {
  try {
    const { positionals, values } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { program: { type: 'string' } },
    });
    const [topic, action, ...rest] = positionals;
    const isWhole = topic === 'totals' && rest.length === 0;
    if (!isWhole || (action !== 'check' && action !== 'rebuild')) return null;
    if (values.program === undefined) return { action, programId: null } as const;
    return /^\d{1,15}$/.test(values.program)
      ? ({ action, programId: Number(values.program) } as const)
      : null;
  } catch {
    return null;
  }
}
