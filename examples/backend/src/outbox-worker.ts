import { DatabaseSync } from 'node:sqlite';
import type { Affkit } from '@affkit/node';
import { type Query, sqlOutbox } from '@affkit/node/outbox';

const outbox = sqlOutbox({ dialect: 'sqlite' });

/** A paid order. */
export interface Order {
  readonly id: number;
  readonly userId: string;
  readonly amountCents: number;
}

/** A shop's orders, with an outbox for their Affkit events. */
export class Orders {
  readonly #database: DatabaseSync;
  readonly #query: Query;
  #lastPayment: Promise<void> = Promise.resolve();

  constructor(path: string) {
    // The shop and the worker write to the same file. While one of them holds the lock, the other waits for up to
    // `timeout` milliseconds.
    this.#database = new DatabaseSync(path, { timeout: 5_000 });
    this.#query = (sql, values) => this.#database.prepare(sql).all(...values);
    this.#database.exec(
      'create table if not exists orders (id integer primary key, amount_cents integer not null)',
    );
    this.#database.exec(outbox.schema);
  }

  /** Stores an order and its event in one database transaction. */
  pay(order: Order): Promise<void> {
    // `outbox.sale` is asynchronous, and an SQLite connection can have only one transaction at a time.
    const payment = this.#lastPayment.then(() => this.#store(order));
    this.#lastPayment = payment.catch(() => {});
    return payment;
  }

  async #store({ id, userId, amountCents }: Order): Promise<void> {
    this.#database.exec('begin immediate');
    try {
      this.#database.prepare('insert into orders (id, amount_cents) values (?, ?)').run(id, amountCents);
      await outbox.sale(this.#query, {
        // A transaction id must be unique on the whole Affkit server, so add a prefix.
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

  /**
   * Sends the events that are stored now. The worker calls this method every few seconds.
   *
   * @returns `hasProblem`: whether an event was rejected or the server is unavailable
   */
  async relayEvents(affkit: Affkit): Promise<{ delivered: number; hasProblem: boolean }> {
    const { delivered, refused, heldUpBy } = await outbox.relay(affkit, this.#query);
    return { delivered, hasProblem: refused > 0 || heldUpBy !== undefined };
  }

  close(): void {
    this.#database.close();
  }
}
