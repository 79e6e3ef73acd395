import { Unavailable } from '../../src/rejection.ts';
import type { ClickStore } from '../../src/storage/database/click-store.ts';
import type { Engine } from '../../src/storage/database/engine/engine.ts';
import { requireNoSecretsInAuditLog } from './audit-secrets.ts';

/** A migrated database that can be emptied, with an engine that stays open between tests. */
export interface RecyclableDatabase {
  readonly engine: Engine;
  /** Whether a test has changed the schema or the list of migrations. */
  hasChanged(): Promise<boolean>;
  /** Deletes all rows except the list of migrations, and resets the ids of all tables. */
  empty(): Promise<void>;
  /** Copies all rows. Returns a function that inserts them into the empty database, with the same ids. */
  copyRows?(): Promise<() => Promise<void>>;
  /** Clears the engine's cache of the links of earlier clicks. */
  clearCaches(): void;
  /** Closes the engine and deletes the database. */
  drop(): Promise<void>;
}

/** What `create` returned for a key of `createOrRestore`, and a function that inserts the rows that it created. */
interface Creation {
  readonly result: unknown;
  readonly insertRows: () => Promise<void>;
}

/** A database, and what tests have created in it so far. */
interface RecycledDatabase {
  readonly database: RecyclableDatabase;
  readonly creations: Map<string, Creation>;
}

/** The databases of the open engines. */
const recycledDatabases = new WeakMap<Engine, RecycledDatabase>();

/**
 * Runs `create`, which fills the empty database of a test and returns plain data. If an earlier test has done this with
 * the same key in the same database, the function inserts the same rows again, which takes a fifth of the time.
 */
export async function createOrRestore<T>(engine: Engine, key: string, create: () => Promise<T>): Promise<T> {
  const recycled = recycledDatabases.get(engine);
  const copyRows = recycled?.database.copyRows;
  if (recycled === undefined || copyRows === undefined) return create();
  const creation = recycled.creations.get(key);
  if (creation !== undefined) {
    await creation.insertRows();
    // The cast is safe because callers use each key for one type.
    return structuredClone(creation.result as T);
  }
  const result = await create();
  recycled.creations.set(key, { result: structuredClone(result), insertRows: await copyRows() });
  return result;
}

/**
 * Returns a function that opens engines on empty, migrated databases. When an engine is closed, its database and
 * connections are kept for later tests, because creating them takes longer than most tests. A database whose schema a
 * test has changed is dropped instead.
 */
export function recycle(create: () => Promise<RecyclableDatabase>): () => Promise<Engine> {
  /** Empty databases of tests that have ended. */
  const idle: RecycledDatabase[] = [];
  return async () => {
    const recycled = idle.pop() ?? { database: await create(), creations: new Map() };
    const { database } = recycled;
    const engine = untilClosed(database, async () => {
      await finishQueuedWrites(database.engine);
      if (await database.hasChanged()) return database.drop();
      // After every test, check that the audit log contains no secrets.
      const [check] = await Promise.allSettled([requireNoSecretsInAuditLog(database.engine)]);
      await database.empty();
      database.clearCaches();
      idle.push(recycled);
      if (check.status === 'rejected') throw check.reason;
    });
    recycledDatabases.set(engine, recycled);
    return engine;
  };
}

/**
 * Returns an engine that rejects writes after it is closed. A late write would change the database of the next
 * test.
 */
function untilClosed({ engine, hasChanged }: RecyclableDatabase, close: () => Promise<void>): Engine {
  let closing: Promise<void> | undefined;
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
      // The database is already migrated, unless a test has changed its schema.
      if (await hasChanged()) await engine.migrate();
    },
    close: () => {
      closing ??= close();
      return closing;
    },
  };
}

/** Waits for the queued writes of each write lane, as an engine's `close` does before it closes the connections. */
async function finishQueuedWrites(engine: Engine): Promise<void> {
  const lanes = Array.from({ length: engine.lanes }, (_, lane) => lane);
  await Promise.all(['clicks' as const, ...lanes].map((lane) => engine.write(lane, async () => {})));
}

/** Click stores that can be replaced by new stores with empty caches. */
export class ResettableClickStores {
  readonly #resets: (() => void)[] = [];

  /** Returns a click store that forwards all calls to the newest store from `create`. */
  open(create: () => ClickStore): ClickStore {
    let store = create();
    this.#resets.push(() => {
      store = create();
    });
    return {
      get cache() {
        return store.cache;
      },
      load: (...args) => store.load(...args),
      claimKeys: (...args) => store.claimKeys(...args),
      findStoredReplies: (...args) => store.findStoredReplies(...args),
      save: (...args) => store.save(...args),
      addTotals: (...args) => store.addTotals(...args),
    };
  }

  reset(): void {
    for (const reset of this.#resets) reset();
  }
}
