import type pg from 'pg';
import type { PostgresPooler } from './postgres-pooler.ts';

const MAX_NAMES = 400;
const MAX_TEXTS_SEEN_ONCE = 400;
const MAX_SQL_LENGTH = 8_000;

/**
 * Assigns names to prepared statements. The same SQL has the same name on every connection. Each prepared
 * statement uses server memory on each connection, so the number of names is limited. SQL gets its name only
 * when it is run for the second time, so that the statements of migrations do not use up the names. Long statements get
 * no name, because they contain lists of varying length and are rarely repeated. Behind a pooler in transaction
 * mode, no statement gets a name, because a prepared statement exists only on one server connection.
 */
export class StatementNames {
  readonly #names = new Map<string, string>();
  readonly #seenOnce = new Set<string>();
  readonly #maxNames: number;

  constructor(pooler: PostgresPooler) {
    this.#maxNames = pooler === 'session' ? MAX_NAMES : 0;
  }

  /** Returns a statement for `pg`. A statement with a name is prepared once per connection. */
  prepare(text: string, values: readonly unknown[]): pg.QueryConfig<unknown[]> {
    const name = this.#nameOf(text);
    return name === undefined ? { text, values: [...values] } : { name, text, values: [...values] };
  }

  #nameOf(text: string): string | undefined {
    const existing = this.#names.get(text);
    if (existing !== undefined) return existing;
    if (this.#names.size >= this.#maxNames || text.length > MAX_SQL_LENGTH) return undefined;
    if (!this.#seenOnce.delete(text)) {
      if (this.#seenOnce.size >= MAX_TEXTS_SEEN_ONCE) this.#seenOnce.clear();
      this.#seenOnce.add(text);
      return undefined;
    }
    const name = `affkit_${this.#names.size + 1}`;
    this.#names.set(text, name);
    return name;
  }
}
