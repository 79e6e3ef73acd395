import { type Engine, readDatabaseHealth } from '@affkit/core';
import { VERSION } from '../version.ts';
import type { CommandResult } from './command-result.ts';
import type { Terminal } from './terminal.ts';

/** Applies all pending migrations. */
export async function runMigrate(
  engine: Engine,
  { writeError }: Pick<Terminal, 'writeError'>,
): Promise<CommandResult> {
  const before = await readDatabaseHealth({ engine });
  await engine.migrate((reason) => writeError(`The migration waits: ${reason.message}\n`));
  const { dialect, version, migrations } = await readDatabaseHealth({ engine });
  const applied = migrations.applied.filter((name) => !before.migrations.applied.includes(name));
  return {
    exitCode: 0,
    data: { version: VERSION, database: { dialect, version }, applied, total: migrations.applied.length },
    lines: [...applied.map((name) => `Applied ${name}`), describe(applied.length, migrations.applied.length)],
  };
}

function describe(applied: number, total: number): string {
  if (applied === 0)
    return `Nothing to migrate: the database has all ${total} migrations of Affkit ${VERSION}`;
  return `Migrated the database to Affkit ${VERSION}: ${applied} of ${total} migrations applied`;
}
