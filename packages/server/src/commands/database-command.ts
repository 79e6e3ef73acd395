import { existsSync } from 'node:fs';
import { type Engine, readDatabaseHealth } from '@affkit/core';
import { readDatabaseConfig, readPublicUrl } from '../config.ts';
import { ConfigError } from '../config-error.ts';
import { createDatabaseFolder, openEngine, throwDatabaseError } from '../database.ts';
import { VERSION } from '../version.ts';
import { runBreakdowns } from './breakdowns-command.ts';
import { clusterCommand } from './cluster-command.ts';
import { CommandError, type CommandOutput, type CommandResult } from './command-result.ts';
import { countOf } from './count-of.ts';
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
import { runExport } from './transfer/export-command.ts';
import { runImport } from './transfer/import-command.ts';
import { runVendorImport } from './transfer/vendor-import-command.ts';
import { runWhy } from './why-command.ts';

const databaseCommands = {
  clusterCommand,
  importArchives,
  linkCommand,
  readPublicUrl,
  resetPasswordCommand,
  runBreakdowns,
  runExport,
  runImport,
  runMigrate,
  runRetention,
  runStatus,
  runTestChain,
  runTotals,
  runVendorImport,
  runWhy,
  transactionIdsCommand,
  verifyLedgerCommand,
};

/** A command on the database. */
export type DatabaseCommand = (
  commands: typeof databaseCommands,
  engine: Engine,
  output: CommandOutput,
) => Promise<CommandResult>;

export interface DatabaseCommandOptions {
  /** Whether the command creates a missing SQLite file. @default false */
  readonly createsFile?: boolean;
  /** Whether the command can use a database that another version of Affkit has migrated. @default false */
  readonly acceptsAnyVersion?: boolean;
}

/**
 * Runs a command on the database in `DATABASE_URL`.
 * @throws ConfigError if a setting is not valid
 * @throws CommandError if the command cannot do its work
 */
export async function runOnDatabase(
  command: DatabaseCommand,
  env: Terminal['env'],
  output: CommandOutput,
  { createsFile = false, acceptsAnyVersion = false }: DatabaseCommandOptions,
): Promise<CommandResult> {
  const database = readDatabaseConfig(env);
  if (database.kind === 'sqlite' && database.path === ':memory:') {
    const advice = 'Name a SQLite file or a Postgres database.';
    throw new ConfigError(
      'DATABASE_URL',
      `names a database in memory, which ends with its process. ${advice}`,
    );
  }
  if (createsFile) createDatabaseFolder(database);
  // Without this check, the engine would create a missing file.
  else if (database.kind === 'sqlite' && !existsSync(database.path)) {
    const advice = 'Start the server once, or run this command in the folder of the server.';
    const problem = `names a SQLite file that does not exist: ${database.path}. ${advice}`;
    throw new ConfigError('DATABASE_URL', problem);
  }
  const engine = await openEngine(database);
  try {
    if (!acceptsAnyVersion) await requireThisVersion(engine);
    return await command(databaseCommands, engine, output);
  } catch (error) {
    if (error instanceof CommandError) throw error;
    return throwDatabaseError(error);
  } finally {
    await engine.close();
  }
}

/**
 * Rejects a database of another version. Commands may not know all tables of such a database, and could
 * export too little or store wrong totals.
 * @throws CommandError if the database does not have exactly the migrations of this version
 */
async function requireThisVersion(engine: Engine): Promise<void> {
  const { pending, newer } = (await readDatabaseHealth({ engine })).migrations;
  if (newer.length > 0) {
    throw new CommandError(
      `A newer version of Affkit has migrated the database (${newer.join(', ')}). Run this command with that version.`,
    );
  }
  if (pending.length === 0) return;
  throw new CommandError(
    `The database is not migrated to Affkit ${VERSION}: ${countOf(pending.length, 'migration')} pending. ` +
      'Run affkit migrate, or start a server of this version. Then run this command again.',
  );
}
