import type { Database, Statement } from 'better-sqlite3';
import type { CompiledQuery, QueryResult } from 'kysely';

/**
 * The text of a query with a list depends on the length of the list. Without a limit, the cache would keep
 * growing.
 */
const MAX_CACHED_STATEMENTS = 500;

/** A cache of prepared statements. Kysely's own SQLite driver would prepare a statement on each run. */
export class StatementCache {
  readonly #database: Database;
  readonly #guard: () => void;
  readonly #statements = new Map<string, Statement>();

  /** @param guard called before each statement; throws if no statement may run */
  constructor(database: Database, guard: () => void = () => {}) {
    this.#database = database;
    this.#guard = guard;
  }

  get(sql: string): Statement {
    this.#guard();
    const cached = this.#statements.get(sql);
    if (cached) return cached;
    const statement = this.#database.prepare(sql);
    if (this.#statements.size >= MAX_CACHED_STATEMENTS) this.#removeOldest();
    this.#statements.set(sql, statement);
    return statement;
  }

  /**
   * @throws RangeError when a parameter or a result is an integer that a JavaScript number cannot represent
   * exactly
   */
  run(query: CompiledQuery): QueryResult<unknown> {
    for (const parameter of query.parameters) rejectUnsafeInteger(parameter);
    const statement = this.get(query.sql);
    if (!statement.reader) {
      const { changes, lastInsertRowid } = statement.run(query.parameters);
      return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) };
    }
    const rows = statement.all(query.parameters) as Record<string, unknown>[];
    for (const row of rows) for (const column in row) rejectUnsafeInteger(row[column]);
    return { rows };
  }

  #removeOldest(): void {
    for (const sql of this.#statements.keys()) {
      this.#statements.delete(sql);
      return;
    }
  }
}

/**
 * Rejects integers that are not safe. The driver silently rounds integers beyond 2^53, but never to a value
 * below 2^53. This check therefore finds them.
 */
function rejectUnsafeInteger(value: unknown): void {
  if (typeof value === 'number' && (value > Number.MAX_SAFE_INTEGER || value < Number.MIN_SAFE_INTEGER)) {
    throw new RangeError(`${value} is outside the range of safe integers (±(2^53 - 1))`);
  }
}
