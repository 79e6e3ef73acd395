import { DatabaseSync } from 'node:sqlite';
import type { Affkit } from '@affkit/node';
import { type Query, sqlOutbox } from '@affkit/node/outbox';

const outbox = sqlOutbox({ dialect: 'sqlite' });

export interface Order {
  readonly id: number;
  readonly userId: string;
  readonly amountCents: number;
}

/** A shop's orders, and the events that must be sent of them. */
export class Orders {
  readonly #database: DatabaseSync;
  readonly #query: Query;

  constructor(path: string) {
    // The shop and its worker wait for each other.
    this.#database = new DatabaseSync(path, { timeout: 5_000 });
    this.#query = (sql, values) => this.#database.prepare(sql).all(...values);
    this.#database.exec(
      'create table if not exists orders (id integer primary key, amount_cents integer not null)',
    );
    this.#database.exec(outbox.schema);
  }

  /** Stores an order and its event, both or neither. */
  async pay({ id, userId, amountCents }: Order): Promise<void> {
    this.#database.exec('begin immediate');
    try {
      this.#database.prepare('insert into orders (id, amount_cents) values (?, ?)').run(id, amountCents);
      await outbox.sale(this.#query, {
        // A prefix of our own: ids are unique in the whole service.
        transaction_id: `shop-${id}`,
        amount_cents: amountCents,
        customer_key: userId,
      });
      this.#database.exec('commit');
    } catch (error) {
      this.#database.exec('rollback');
      throw error;
    }
  }

  /** One round of the worker, every few seconds. @returns whether there is something to look at */
  async report(affkit: Affkit): Promise<{ delivered: number; isTrouble: boolean }> {
    const { delivered, refused, heldUpBy } = await outbox.relay(affkit, this.#query);
    return { delivered, isTrouble: refused > 0 || heldUpBy !== undefined };
  }

  close(): void {
    this.#database.close();
  }
}
