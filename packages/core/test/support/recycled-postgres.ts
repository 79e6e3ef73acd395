import { type Kysely, sql } from 'kysely';
import { Unavailable } from '../../src/rejection.ts';
import type { ClickSession, ClickStore } from '../../src/storage/database/click-store.ts';
import type { Engine } from '../../src/storage/database/engine/engine.ts';
import { openPostgresEngine } from '../../src/storage/database/engine/postgres.ts';
import type { Schema } from '../../src/storage/database/schema.ts';
import { PostgresClickStore } from '../../src/storage/tracking/clicks-postgres.ts';
import { createMigratedDatabase, dropDatabase } from './postgres-server.ts';

/** A migrated database with an engine that keeps its connections open. */
interface Database {
  readonly connectionString: string;
  readonly engine: Engine;
  /** Makes the engine forget the links of earlier clicks. */
  readonly clearCaches: () => void;
}

/** Empty databases of tests that have ended. */
const idle: Database[] = [];

/**
 * Opens an engine on an empty, migrated database of the server `url`. The database and its connections are
 * reused when the engine is closed, because creating them takes longer than most tests. A database whose
 * schema a test has changed is dropped instead.
 */
export async function openRecycledPostgres(url: string): Promise<Engine> {
  const database = idle.pop() ?? (await createRecyclable(url));
  const { engine } = database;
  let closing: Promise<void> | undefined;
  // Without this, a write that a test does not await could change the database of the next test.
  const rejectIfClosed = () => {
    if (closing) throw new Unavailable('The database is closed');
  };
  return {
    ...engine,
    snapshot: async (body) => {
      rejectIfClosed();
      return await engine.snapshot(body);
    },
    write: async (...args) => {
      rejectIfClosed();
      return await engine.write(...args);
    },
    migrate: async () => {
      rejectIfClosed();
      // The database was created from a migrated template.
      if (await hasChanged(engine.read)) await engine.migrate();
    },
    close: () => {
      closing ??= recycle(database);
      return closing;
    },
  };
}

async function recycle(database: Database): Promise<void> {
  const { engine, connectionString, clearCaches } = database;
  const lanes = Array.from({ length: engine.lanes }, (_, lane) => lane);
  // Finishes the queued writes, as `close` does.
  await Promise.all(['clicks' as const, ...lanes].map((lane) => engine.write(lane, async () => {})));
  if (await hasChanged(engine.read)) {
    await engine.close();
    await dropDatabase(connectionString);
    return;
  }
  await engine.write('clicks', ({ db }) => sql`CALL recycling.empty()`.execute(db));
  clearCaches();
  idle.push(database);
}

/** Whether the schema or the list of migrations differs from the template. */
async function hasChanged(db: Kysely<Schema>): Promise<boolean> {
  const { rows } = await sql`SELECT tag FROM recycling.changes LIMIT 1`.execute(db);
  return rows.length > 0;
}

async function createRecyclable(url: string): Promise<Database> {
  const connectionString = await createMigratedDatabase(url);
  const resets: (() => void)[] = [];
  const engine = openPostgresEngine({ connectionString }, (session) => {
    const store = resettableClickStore(session);
    resets.push(store.reset);
    return store;
  });
  await engine.write(0, async ({ db }) => {
    for (const statement of SET_UP) await sql.raw(statement).execute(db);
  });
  return {
    connectionString,
    engine,
    clearCaches: () => {
      for (const reset of resets) reset();
    },
  };
}

/** A click store that `reset` replaces by a new store with empty caches. */
function resettableClickStore(session: ClickSession): ClickStore & { reset(): void } {
  let store = new PostgresClickStore(session);
  return {
    get cache() {
      return store.cache;
    },
    load: (...args) => store.load(...args),
    claimKeys: (...args) => store.claimKeys(...args),
    findStoredReplies: (...args) => store.findStoredReplies(...args),
    save: (...args) => store.save(...args),
    addMetrics: (...args) => store.addMetrics(...args),
    reset: () => {
      store = new PostgresClickStore(session);
    },
  };
}

const SET_UP = [
  'CREATE SCHEMA recycling',
  'CREATE TABLE recycling.changes (tag text)',
  // Some tables have triggers that reject every delete.
  `CREATE PROCEDURE recycling.empty() LANGUAGE plpgsql SET session_replication_role = replica AS $$
   DECLARE name text;
   BEGIN
     FOR name IN SELECT relname FROM pg_class
       WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND relname <> 'affkit_migrations'
     LOOP EXECUTE format('DELETE FROM %I', name); END LOOP;
     PERFORM setval(seqrelid, seqstart, false) FROM pg_sequence;
   END $$`,
  `CREATE FUNCTION recycling.note_ddl() RETURNS event_trigger LANGUAGE plpgsql AS
   $$ BEGIN INSERT INTO recycling.changes VALUES (TG_TAG); END $$`,
  `CREATE FUNCTION recycling.note_migration() RETURNS trigger LANGUAGE plpgsql AS
   $$ BEGIN INSERT INTO recycling.changes VALUES (TG_OP); RETURN NULL; END $$`,
  `CREATE TRIGGER note_migration AFTER INSERT OR UPDATE OR DELETE ON affkit_migrations
   EXECUTE FUNCTION recycling.note_migration()`,
  // Created last, so that it does not note the statements above.
  'CREATE EVENT TRIGGER note_ddl ON ddl_command_end EXECUTE FUNCTION recycling.note_ddl()',
];
