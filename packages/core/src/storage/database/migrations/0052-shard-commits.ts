import type { Kysely } from 'kysely';
import { type Dialect, runMigrationStatements } from './dialect.ts';

/**
 * The settings of the write connection that apply to cached plans. Citus does not pass the settings of a connection on
 * to the workers, so the trigger function that runs there has these settings itself.
 */
const PLAN_SETTINGS = `SET plan_cache_mode = force_generic_plan
  SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off`;

/**
 * Runs the statement that a new row carries, on the shard of that row. In the text of the statement, `{name}`
 * stands for the shard of the table `name`. The statement is prepared once per connection and shard, because planning
 * takes longer than recording a few visits.
 *
 * Citus locks the shard of the row until the transaction ends, as for every INSERT. A move or split of a
 * shard must lock all shards that are co-located with it. None of these shards can therefore move until the
 * transaction ends.
 */
const RUN_ON_SHARD = `
  DECLARE
    shard BIGINT := substring(TG_TABLE_NAME FROM '[0-9]+$')::bigint;
    markers REGCLASS := format('%I.shard_commit_markers', TG_TABLE_SCHEMA)::regclass;
    statements REGCLASS := format('%I.shard_statements', TG_TABLE_SCHEMA)::regclass;
    prepared TEXT := 'affkit_' || NEW.statement || '_' || shard;
    found RECORD;
    name TEXT;
    parameters TEXT;
  BEGIN
    IF NEW.statement IS NULL THEN RETURN NEW; END IF;
    -- A worker may have other settings than the coordinator.
    PERFORM set_config('synchronous_commit', 'on', true);
    IF EXISTS (SELECT FROM unnest(NEW.program_ids) AS named (id)
      WHERE get_shard_id_for_distribution_column(markers, named.id) <> shard)
    THEN RAISE EXCEPTION 'The programs are on different shards' USING ERRCODE = 'AFK02'; END IF;
    IF NOT EXISTS (SELECT FROM pg_prepared_statements AS p WHERE p.name = prepared) THEN
      EXECUTE format('SELECT types, text FROM %I.%I WHERE id = $1', TG_TABLE_SCHEMA,
        'shard_statements_' || get_shard_id_for_distribution_column(statements, 0))
        INTO found USING NEW.statement;
      IF found.text IS NULL THEN
        RAISE EXCEPTION 'The statement % is not registered', NEW.statement USING ERRCODE = 'AFK01';
      END IF;
      FOR name IN SELECT DISTINCT m[1] FROM regexp_matches(found.text, '\\{([a-z_]+)\\}', 'g') AS m LOOP
        found.text := replace(found.text, '{' || name || '}', format('%I.%I', TG_TABLE_SCHEMA,
          name || '_' || get_shard_id_for_distribution_column(
            format('%I.%I', TG_TABLE_SCHEMA, name)::regclass, NEW.program_id)));
      END LOOP;
      EXECUTE format('PREPARE %I (%s) AS %s', prepared, found.types, found.text);
    END IF;
    SELECT string_agg(quote_nullable(value), ', ' ORDER BY number) INTO parameters
      FROM unnest(NEW.arguments) WITH ORDINALITY AS argument (value, number);
    EXECUTE format('EXECUTE %I (%L, %L, %s)', prepared, NEW.customer_ids, NEW.event_ids, parameters);
    NEW.statement := NULL;
    NEW.arguments := NULL;
    NEW.program_ids := NULL;
    NEW.customer_ids := NULL;
    NEW.event_ids := NULL;
    RETURN NEW;
  END`;

/**
 * Adds the tables for the commit markers of transactions that write to only one shard of a Citus cluster. Such a
 * marker also names the statement of the transaction. A trigger runs this statement on the shard. The coordinator then
 * routes only the row of the marker, and need not plan the statement. On a single Postgres server, the tables remain
 * empty.
 */
export async function up(db: Kysely<unknown>, dialect: Dialect): Promise<void> {
  if (dialect !== 'postgres') return;
  await runMigrationStatements(db, dialect, [
    'CREATE TABLE shard_statements (id TEXT PRIMARY KEY, types TEXT NOT NULL, text TEXT NOT NULL)',
    `CREATE TABLE shard_commit_markers (
      program_id INT NOT NULL, id TEXT NOT NULL, created_at INT NOT NULL, statement TEXT, arguments TEXT[],
      program_ids INT[], customer_ids INT[], event_ids INT[], PRIMARY KEY (program_id, id))`,
    'CREATE INDEX shard_commit_markers_by_age ON shard_commit_markers (created_at)',
    // Citus evaluates this function on the coordinator, so that ids increase in the whole cluster.
    `CREATE FUNCTION affkit_next_ids(name TEXT, amount INT) RETURNS INT[] LANGUAGE sql VOLATILE AS
      $$ SELECT ARRAY(SELECT nextval(pg_get_serial_sequence(name, 'id')::regclass) FROM generate_series(1, amount)) $$`,
    `CREATE FUNCTION affkit_run_on_shard() RETURNS trigger LANGUAGE plpgsql ${PLAN_SETTINGS} AS
      $$ ${RUN_ON_SHARD} $$`,
    `CREATE TRIGGER run_on_shard BEFORE INSERT ON shard_commit_markers
      FOR EACH ROW EXECUTE FUNCTION affkit_run_on_shard()`,
  ]);
}
