import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';

/** A customer who signed up. `id` is the `customer_key` at Affkit. */
export interface Account {
  readonly id: string;
  /** The value of the session cookie. */
  readonly session: string;
  readonly name: string;
  readonly email: string;
  /** The click that brought the customer; null if there was no partner's link. */
  readonly clickId: string | null;
}

/** The statuses of `affkit.sale()`. */
export type AffiliateStatus = 'recorded' | 'duplicate' | 'unattributed' | 'queued';

/** A paid order. `id` is the `transaction_id` at Affkit. */
export interface Order {
  readonly id: string;
  readonly accountId: string;
  readonly productId: string;
  readonly amountCents: number;
  /** ISO 8601. */
  readonly placedAt: string;
  readonly refundedCents: number;
  /** The result of reporting the sale to Affkit. Undefined until a report has succeeded. */
  readonly affiliateStatus?: AffiliateStatus;
}

interface Content {
  readonly accounts: readonly Account[];
  readonly orders: readonly Order[];
}

/** Stores the accounts and orders of the shop in one JSON file. */
export class ShopStore {
  readonly #file: string;
  #content: Content;

  constructor(file: string) {
    this.#file = file;
    this.#content = existsSync(file) ? parse(readFileSync(file, 'utf8')) : { accounts: [], orders: [] };
  }

  findAccount(session: string | undefined): Account | undefined {
    return this.#content.accounts.find((account) => account.session === session);
  }

  addAccount(details: Pick<Account, 'name' | 'email' | 'clickId'>): Account {
    const account = { ...details, id: `user_${randomUUID()}`, session: randomUUID() };
    this.#save({ ...this.#content, accounts: [...this.#content.accounts, account] });
    return account;
  }

  /** Stores the first click of a customer who signed up without a click. */
  setClickId(account: Account, clickId: string): Account {
    const changed = { ...account, clickId };
    const accounts = this.#content.accounts.map((other) => (other.id === account.id ? changed : other));
    this.#save({ ...this.#content, accounts });
    return changed;
  }

  findOrder(account: Account, orderId: unknown): Order | undefined {
    return this.listOrders(account).find((order) => order.id === orderId);
  }

  /** Returns the customer's orders, newest first. */
  listOrders(account: Account): Order[] {
    return this.#content.orders.filter((order) => order.accountId === account.id).reverse();
  }

  addOrder(account: Account, details: Pick<Order, 'productId' | 'amountCents'>): Order {
    const order = {
      ...details,
      placedAt: new Date().toISOString(),
      id: `order_${randomUUID()}`,
      accountId: account.id,
      refundedCents: 0,
    };
    this.#save({ ...this.#content, orders: [...this.#content.orders, order] });
    return order;
  }

  updateOrder(order: Order, changes: Pick<Partial<Order>, 'refundedCents' | 'affiliateStatus'>): void {
    const orders = this.#content.orders.map((other) =>
      other.id === order.id ? { ...other, ...changes } : other,
    );
    this.#save({ ...this.#content, orders });
  }

  #save(content: Content): void {
    writeFileSync(`${this.#file}.new`, JSON.stringify(content, null, 2), { mode: 0o600 });
    renameSync(`${this.#file}.new`, this.#file);
    this.#content = content;
  }
}

function parse(text: string): Content {
  // The cast is safe because only `ShopStore` writes the file.
  return JSON.parse(text) as Content;
}
