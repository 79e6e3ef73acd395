import { type Engine, readDatabaseHealth } from '@affkit/core';
import { VERSION } from '../version.ts';
import { printReport, type Terminal } from './terminal.ts';

/** Applies all pending migrations, and prints them. */
export async function runMigrate(
  engine: Engine,
  { json }: { readonly json: boolean },
  terminal: Pick<Terminal, 'write' | 'writeError'>,
): Promise<number> {
  const before = await readDatabaseHealth({ engine });
  await engine.migrate((reason) => terminal.writeError(`The migration waits: ${reason.message}\n`));
  const { dialect, version, migrations } = await readDatabaseHealth({ engine });
  const applied = migrations.applied.filter((name) => !before.migrations.applied.includes(name));
  printReport(
    terminal,
    json,
    { version: VERSION, database: { dialect, version }, applied, total: migrations.applied.length },
    [...applied.map((name) => `Applied ${name}`), describe(applied.length, migrations.applied.length)],
  );
  return 0;
}

function describe(applied: number, total: number): string {
  if (applied === 0)
    return `Nothing to migrate: the database has all ${total} migrations of Affkit ${VERSION}`;
  return `Migrated the database to Affkit ${VERSION}: ${applied} of ${total} migrations applied`;
}
