import { sql } from 'kysely';
import { openPostgresEngine } from '../../src/storage/database/engine/postgres-engine.ts';
import { PostgresClickStore } from '../../src/storage/tracking/clicks-postgres.ts';
import { query, runOnNodes, usesCitus } from './citus-server.ts';
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
  const database = new URL(connectionString).pathname.slice(1);
  for (const statement of SET_UP_NODE) await runOnNodes(url, database, `${WITHOUT_PROPAGATION}${statement}`);
  for (const statement of SET_UP) await query(connectionString, `${WITHOUT_PROPAGATION}${statement}`);
  return {
    engine,
    hasChanged: async () => {
      const { rows } = await sql`SELECT tag FROM recycling.changes LIMIT 1`.execute(engine.read);
      return rows.length > 0;
    },
    empty: async () => {
      await (usesCitus
        ? sql`CALL recycling.empty()`.execute(engine.read)
        : engine.write('clicks', ({ db }) => sql`CALL recycling.empty()`.execute(db)));
    },
    clearCaches: () => stores.reset(),
    drop: async () => {
      await engine.close();
      await dropDatabase(connectionString);
    },
  };
}

/** Without this setting, the coordinator also runs statements about schemas and functions on the workers. */
const WITHOUT_PROPAGATION = usesCitus ? 'SET citus.enable_ddl_propagation = off; ' : '';

// Some tables have triggers that reject every delete. `session_replication_role` below disables them.
const DELETE_ROWS = `DECLARE name text;
   BEGIN
     FOR name IN SELECT relname FROM pg_class
       WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND relname <> 'affkit_migrations'
         ${usesCitus ? 'AND NOT EXISTS (SELECT FROM pg_dist_partition WHERE logicalrelid = pg_class.oid)' : ''}
     LOOP EXECUTE format('DELETE FROM %I', name); END LOOP;
     PERFORM setval(seqrelid, seqstart, false) FROM pg_sequence JOIN pg_class ON oid = seqrelid
       WHERE relnamespace = 'public'::regnamespace;
   END`;

/**
 * Statements that run on each server of a cluster. They create a procedure that deletes the rows of the
 * server's shards. Through Citus, deleting them would take hundreds of statements.
 */
const SET_UP_NODE = [
  'CREATE SCHEMA recycling',
  `CREATE PROCEDURE recycling.delete_rows() LANGUAGE plpgsql SET session_replication_role = replica
   ${usesCitus ? 'SET citus.override_table_visibility = off SET citus.enable_manual_changes_to_shards = on' : ''}
   AS $$ ${DELETE_ROWS} $$`,
];

const SET_UP = [
  'CREATE TABLE recycling.changes (tag text)',
  `CREATE PROCEDURE recycling.empty() LANGUAGE plpgsql AS $$ BEGIN
     ${
       usesCitus
         ? `ASSERT (SELECT bool_and(success) FROM run_command_on_workers('CALL recycling.delete_rows()'));`
         : ''
     }
     CALL recycling.delete_rows(); END $$`,
  `CREATE FUNCTION recycling.note_ddl() RETURNS event_trigger LANGUAGE plpgsql AS
   $$ BEGIN INSERT INTO recycling.changes VALUES (TG_TAG); END $$`,
  `CREATE FUNCTION recycling.note_migration() RETURNS trigger LANGUAGE plpgsql AS
   $$ BEGIN INSERT INTO recycling.changes VALUES (TG_OP); RETURN NULL; END $$`,
  `CREATE TRIGGER note_migration AFTER INSERT OR UPDATE OR DELETE ON affkit_migrations
   EXECUTE FUNCTION recycling.note_migration()`,
  // This trigger is created last, so that it does not record the statements above.
  'CREATE EVENT TRIGGER note_ddl ON ddl_command_end EXECUTE FUNCTION recycling.note_ddl()',
];
