import type { Database, Statement } from 'better-sqlite3';
import type { CompiledQuery, QueryResult } from 'kysely';

/** Queries with lists have a text for each length of list: without a bound the cache would only grow. */
const MAX_STATEMENTS = 500;

/** Prepares each statement once: Kysely's own driver does so for each run. */
export class StatementCache {
  readonly #database: Database;
  readonly #guard: () => void;
  readonly #statements = new Map<string, Statement>();

  /** @param guard called before each use; throws where no statement may run */
  constructor(database: Database, guard: () => void = () => {}) {
    this.#database = database;
    this.#guard = guard;
  }

  get(sql: string): Statement {
    this.#guard();
    const known = this.#statements.get(sql);
    if (known) return known;
    const statement = this.#database.prepare(sql);
    if (this.#statements.size >= MAX_STATEMENTS) this.#forgetOldest();
    this.#statements.set(sql, statement);
    return statement;
  }

  /** @throws RangeError for an integer, in or out, that a number can't hold exactly */
  run(query: CompiledQuery): QueryResult<unknown> {
    for (const parameter of query.parameters) refuseInexact(parameter);
    const statement = this.get(query.sql);
    if (!statement.reader) {
      const { changes, lastInsertRowid } = statement.run(query.parameters);
      return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) };
    }
    const rows = statement.all(query.parameters) as Record<string, unknown>[];
    for (const row of rows) for (const column in row) refuseInexact(row[column]);
    return { rows };
  }

  #forgetOldest(): void {
    for (const sql of this.#statements.keys()) {
      this.#statements.delete(sql);
      return;
    }
  }
}

/** The driver rounds an integer beyond 2^53 without a word, but never to less than 2^53. */
function refuseInexact(value: unknown): void {
  if (typeof value === 'number' && (value > Number.MAX_SAFE_INTEGER || value < Number.MIN_SAFE_INTEGER)) {
    throw new RangeError(`${value} is beyond the integers that can be told exactly (2^53 - 1)`);
  }
}
