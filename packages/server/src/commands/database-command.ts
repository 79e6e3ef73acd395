import { existsSync } from 'node:fs';
import { inspect } from 'node:util';
import type { Engine } from '@affkit/core';
import { ConfigError, readDatabaseConfig, readPublicUrl } from '../config.ts';
import { createDatabaseFolder, openEngine, throwDatabaseError } from '../database.ts';
import { runBreakdowns } from './breakdowns-command.ts';
import { clusterCommand } from './cluster-command.ts';
import { verifyLedgerCommand } from './ledger-command.ts';
import { linkCommand } from './link-command.ts';
import { runMigrate } from './migrate-command.ts';
import { resetPasswordCommand } from './password-command.ts';
import { importArchives } from './retention/import-command.ts';
import { runRetention } from './retention/retention-command.ts';
import { runStatus } from './status-command.ts';
import type { Terminal } from './terminal.ts';
import { runTestChain } from './test-chain-command.ts';
import { runTotals } from './totals-command.ts';
import { transactionIdsCommand } from './transaction-ids-command.ts';
import { runWhy } from './why-command.ts';

const databaseCommands = {
  clusterCommand,
  importArchives,
  linkCommand,
  readPublicUrl,
  resetPasswordCommand,
  runBreakdowns,
  runMigrate,
  runRetention,
  runStatus,
  runTestChain,
  runTotals,
  runWhy,
  transactionIdsCommand,
  verifyLedgerCommand,
};

/** A command on the database. @returns the exit code of the process */
export type DatabaseCommand = (commands: typeof databaseCommands, engine: Engine) => Promise<number>;

/**
 * Runs a command on the database in `DATABASE_URL`. If a setting is not valid, it prints one line.
 * @param createsFile whether the command creates a missing SQLite file. Other commands exit with 1
 * @returns the exit code of the process
 */
export async function runDatabaseCommand(
  command: DatabaseCommand,
  { env, writeError }: Terminal,
  { createsFile = false } = {},
): Promise<number> {
  try {
    const database = readDatabaseConfig(env);
    if (createsFile) {
      createDatabaseFolder(database);
    } else if (database.kind === 'sqlite' && !existsSync(database.path)) {
      // Without this check, the engine would create a missing file.
      throw new ConfigError('DATABASE_URL', `names a SQLite file that does not exist: ${database.path}`);
    }
    const engine = await openEngine(database);
    try {
      return await command(databaseCommands, engine).catch(throwDatabaseError);
    } finally {
      await engine.close();
    }
  } catch (error) {
    writeError(`${error instanceof ConfigError ? error.message : inspect(error)}\n`);
    return 1;
  }
}
