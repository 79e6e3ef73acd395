import { sql } from 'kysely';
import { openPostgresEngine } from '../../src/storage/database/engine/postgres.ts';
import { PostgresClickStore } from '../../src/storage/tracking/clicks-postgres.ts';
import { throughPooler } from './pgbouncer.ts';
import { createMigratedDatabase, dropDatabase } from './postgres-server.ts';
import { type RecyclableDatabase, ResettableClickStores } from './recycled-engine.ts';

/** Creates a migrated database on the server of `url`. Connects through the pooler of the test run, if it has one. */
export async function createRecyclablePostgres(url: string): Promise<RecyclableDatabase> {
  const connectionString = await createMigratedDatabase(url);
  const stores = new ResettableClickStores();
  const engine = openPostgresEngine(throughPooler(connectionString), (session) =>
    stores.open(() => new PostgresClickStore(session)),
  );
  await engine.write(0, async ({ db }) => {
    for (const statement of SET_UP) await sql.raw(statement).execute(db);
  });
  return {
    engine,
    hasChanged: async () => {
      const { rows } = await sql`SELECT tag FROM recycling.changes LIMIT 1`.execute(engine.read);
      return rows.length > 0;
    },
    empty: async () => {
      await engine.write('clicks', ({ db }) => sql`CALL recycling.empty()`.execute(db));
    },
    clearCaches: () => stores.reset(),
    drop: async () => {
      await engine.close();
      await dropDatabase(connectionString);
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
  // Created last, so that this trigger does not record the statements above.
  'CREATE EVENT TRIGGER note_ddl ON ddl_command_end EXECUTE FUNCTION recycling.note_ddl()',
];
