import { sql } from 'kysely';
import pg from 'pg';
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
  const admin = await connectWithoutTriggers(connectionString);
  let copies = 0;
  return {
    engine,
    hasChanged: async () => {
      const { rows } = await sql`SELECT tag FROM recycling.changes LIMIT 1`.execute(engine.read);
      return rows.length > 0;
    },
    empty: async () => {
      await admin.query('CALL recycling.empty()');
    },
    // On Citus, inserting the rows would run the triggers of the shards again.
    ...(!usesCitus && {
      copyRows: async () => {
        copies += 1;
        const copy = `recycling.insert_copy_${copies}`;
        await admin.query(`CALL recycling.copy_rows('${copy}')`);
        return async () => {
          await admin.query(`CALL ${copy}()`);
        };
      },
    }),
    clearCaches: () => stores.reset(),
    drop: async () => {
      await Promise.all([engine.close(), admin.end()]);
      await dropDatabase(connectionString);
    },
  };
}

/**
 * Opens a connection whose statements run no triggers, because some triggers reject every delete. If a connection
 * turned the triggers off for one statement only, it would have to plan its prepared statements again.
 */
async function connectWithoutTriggers(connectionString: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString, options: `-c ${WITHOUT_TRIGGERS}` });
  // At the end of the run, the server stops first.
  client.on('error', () => {});
  await client.connect();
  return client;
}

const WITHOUT_TRIGGERS = 'session_replication_role=replica';

/** Without this setting, the coordinator also runs statements about schemas and functions on the workers. */
const WITHOUT_PROPAGATION = usesCitus ? 'SET citus.enable_ddl_propagation = off; ' : '';

/** Settings of procedures that see and change the shards of a server. */
const SHOW_SHARDS = usesCitus
  ? `SET ${WITHOUT_TRIGGERS} SET citus.override_table_visibility = off SET citus.enable_manual_changes_to_shards = on`
  : '';

const IS_NOT_DISTRIBUTED = 'AND NOT EXISTS (SELECT FROM pg_dist_partition WHERE logicalrelid = pg_class.oid)';

/** The tables that store rows on this server, without the list of migrations. */
const TABLES = `pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'
  AND relname <> 'affkit_migrations' ${usesCitus ? IS_NOT_DISTRIBUTED : ''}`;

/** The sequences that have returned an id. */
const SEQUENCES = `pg_sequence JOIN pg_class ON oid = seqrelid
  WHERE relnamespace = 'public'::regnamespace AND pg_sequence_last_value(seqrelid) IS NOT NULL`;

/**
 * Statements that run on each server of a cluster. `delete_rows` deletes the rows of the server's shards. Through
 * Citus, deleting them would take hundreds of statements. It has one statement per table, because a connection plans
 * the statements of a procedure only once.
 */
const SET_UP_NODE = [
  'CREATE SCHEMA recycling',
  `CREATE PROCEDURE recycling.create_delete_rows() LANGUAGE plpgsql ${SHOW_SHARDS} AS $$
   DECLARE statements text;
   BEGIN
     SELECT string_agg(format('DELETE FROM %I;', relname), '') INTO statements FROM ${TABLES};
     EXECUTE format('CREATE PROCEDURE recycling.delete_rows() LANGUAGE plpgsql ${SHOW_SHARDS} AS %L', 'BEGIN ' ||
       statements || $sql$ PERFORM setval(seqrelid, seqstart, false) FROM ${SEQUENCES}; END $sql$);
   END $$`,
  'CALL recycling.create_delete_rows()',
];

/**
 * Creates a procedure that inserts the current rows of all tables, except those that exist already. The event trigger
 * below does not record this, because the connection runs no triggers.
 */
const COPY_ROWS = `CREATE PROCEDURE recycling.copy_rows(copy text) LANGUAGE plpgsql AS $$
   DECLARE name text; all_rows jsonb; statements text;
   BEGIN
     SELECT string_agg(format('PERFORM setval(%L, %s);', seqrelid::regclass, pg_sequence_last_value(seqrelid)), '')
       INTO statements FROM ${SEQUENCES};
     FOR name IN SELECT relname FROM ${TABLES} AND relname <> 'commit_markers' LOOP
       EXECUTE format('SELECT jsonb_agg(to_jsonb(r)) FROM %I r', name) INTO all_rows;
       CONTINUE WHEN all_rows IS NULL;
       statements := statements || format('INSERT INTO %I OVERRIDING SYSTEM VALUE
         SELECT * FROM jsonb_populate_recordset(NULL::%I, %L) ON CONFLICT DO NOTHING;', name, name, all_rows);
     END LOOP;
     EXECUTE format('CREATE PROCEDURE %s() LANGUAGE plpgsql AS %L', copy, 'BEGIN ' || statements || ' END');
   END $$`;

const SET_UP = [
  'CREATE TABLE recycling.changes (tag text)',
  COPY_ROWS,
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
