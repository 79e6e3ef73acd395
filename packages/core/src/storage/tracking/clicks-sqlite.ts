import { VISIT_COLUMN_NAMES, VISIT_FIELDS } from '../database/click-columns.ts';
import type {
  ClickBatch,
  ClickedCustomer,
  ClickKeyRef,
  ClickStatements,
  ClickStore,
  ClickSums,
  CustomerTouch,
  LinkFacts,
  NewClickEvent,
  StoredReply,
} from '../database/click-store.ts';
import { batchRows, valuesList } from '../database/rows.ts';
import { type LinkFactsRow, LinkReader } from './link-facts.ts';

const SELECT_LINK = `
  SELECT d.short_link AS code, l.short_link AS shortLink, l.id AS linkId, l.program_id AS programId, l.partner_id AS partnerId, l.status,
    pp.status AS partnerProgramStatus, p.deleted_at AS deletedAt, p.cookie_window_days AS cookieWindowDays,
    p.attribution_model AS attributionModel, p.allowed_origins AS allowedOrigins, p.require_origin AS requireOrigin,
    p.cookie_domain AS cookieDomain
  FROM link_directory d
  JOIN links l ON l.program_id = d.program_id AND l.id = d.link_id
  JOIN programs p ON p.id = l.program_id
  LEFT JOIN partner_programs pp ON pp.program_id = l.program_id AND pp.partner_id = l.partner_id
  WHERE d.short_link = +?`;

const SELECT_CUSTOMER = `
  SELECT c.program_id AS programId, c.id, c.click_id AS clickId, c.partner_id AS partnerId, c.link_id AS linkId,
    c.status, l.short_link AS shortLink
  FROM customers c JOIN links l ON l.program_id = c.program_id AND l.id = c.link_id
  WHERE c.program_id = +? AND c.click_id = +?`;

const INSERT_KEY = `
  INSERT INTO click_keys (program_id, link_id, key, answer, created_at) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`;

const SELECT_KEY = 'SELECT answer AS reply FROM click_keys WHERE program_id = ? AND link_id = ? AND key = ?';

const INSERT_CUSTOMERS = {
  into: 'customers (program_id, click_id, partner_id, link_id, status, last_click_at, created_at)',
  row: "(?, ?, ?, ?, 'click', ?, ?)",
};

const UPDATE_CUSTOMER = `
  UPDATE customers SET partner_id = ?, link_id = ?, last_click_at = max(last_click_at, ?)
  WHERE program_id = ? AND id = ?`;

const INSERT_EVENTS = {
  into: `click_events (program_id, customer_id, click_id, link_id, partner_id, ${VISIT_COLUMN_NAMES.join(', ')},
    is_test, click_at, created_at)`,
  row: `(?, ?, ?, ?, ?, ${VISIT_FIELDS.map(() => '?').join(', ')}, 0, ?, ?)`,
};

const ADD_COUNTER = `
  INSERT INTO counters (program_id, subject, subject_id, measure, slot, value, last_at)
  VALUES (?, ?, ?, 'clicks', ?, ?, ?)
  ON CONFLICT DO UPDATE SET value = value + excluded.value, last_at = max(last_at, excluded.last_at)`;

const ADD_DAY = `
  INSERT INTO daily_totals (program_id, partner_id, day, measure, slot, value) VALUES (?, ?, ?, 'clicks', ?, ?)
  ON CONFLICT DO UPDATE SET value = value + excluded.value`;

interface MultiRowInsert {
  readonly into: string;
  /** The placeholders of one row. */
  readonly row: string;
}

/**
 * The click store of SQLite. Each statement handles only a few rows. This is fast enough, because SQLite runs in the
 * same process, so a statement takes only microseconds.
 */
export class SqliteClickStore implements ClickStore {
  readonly cache = null;
  readonly #statements: ClickStatements;
  readonly #slot: number;
  readonly #links = new LinkReader();

  constructor(statements: ClickStatements, slot: number) {
    this.#statements = statements;
    this.#slot = slot;
  }

  async load(
    codes: readonly string[],
    customers: readonly { programId: number; clickId: string }[],
  ): Promise<{ links: LinkFacts[]; customers: ClickedCustomer[] }> {
    const selectLink = this.#statements.get(SELECT_LINK);
    const selectCustomer = this.#statements.get(SELECT_CUSTOMER);
    return {
      links: codes.flatMap((code) => {
        const row = selectLink.get(code) as LinkFactsRow | undefined;
        return row ? [this.#links.read(row)] : [];
      }),
      customers: customers.flatMap(({ programId, clickId }) => {
        const row = selectCustomer.get(programId, clickId) as ClickedCustomer | undefined;
        return row ? [row] : [];
      }),
    };
  }

  async claimKeys(keys: readonly StoredReply[], now: number): Promise<StoredReply[]> {
    const insert = this.#statements.get(INSERT_KEY);
    const select = this.#statements.get(SELECT_KEY);
    return keys.flatMap(({ programId, linkId, key, reply }) => {
      if (insert.run(programId, linkId, key, reply, now).changes === 1) return [];
      const claimed = select.get(programId, linkId, key) as { reply: string };
      return [{ programId, linkId, key, reply: claimed.reply }];
    });
  }

  async findStoredReplies(keys: readonly ClickKeyRef[]): Promise<StoredReply[]> {
    const select = this.#statements.get(SELECT_KEY);
    return keys.flatMap(({ programId, linkId, key }) => {
      const claimed = select.get(programId, linkId, key) as { reply: string } | undefined;
      return claimed ? [{ programId, linkId, key, reply: claimed.reply }] : [];
    });
  }

  async save(batch: ClickBatch): Promise<void> {
    const customerIds = this.#saveCustomers(batch);
    this.#saveEvents(batch.events, customerIds, batch.now);
  }

  async addTotals({ counters, days }: ClickSums): Promise<void> {
    const addCounter = this.#statements.get(ADD_COUNTER);
    for (const { programId, subject, subjectId, value, lastAt } of counters) {
      addCounter.run(programId, subject, subjectId, this.#slot, value, lastAt);
    }
    const addDay = this.#statements.get(ADD_DAY);
    for (const { programId, partnerId, day, value } of days) {
      addDay.run(programId, partnerId, day, this.#slot, value);
    }
  }

  /** @returns the ids of the new customers, by click id */
  #saveCustomers({ customers, touches, now }: ClickBatch): Map<string, number> {
    const ids = this.#insert(
      INSERT_CUSTOMERS,
      customers.map(({ programId, clickId, partnerId, linkId, at }) => [
        programId,
        clickId,
        partnerId,
        linkId,
        at,
        now,
      ]),
    );
    for (const touch of touches) this.#updateCustomer(touch);
    return new Map(customers.map(({ clickId }, index) => [clickId, ids[index] ?? Number.NaN]));
  }

  #updateCustomer({ programId, customerId, partnerId, linkId, lastClickAt }: CustomerTouch): void {
    this.#statements.get(UPDATE_CUSTOMER).run(partnerId, linkId, lastClickAt, programId, customerId);
  }

  #saveEvents(events: readonly NewClickEvent[], customerIds: ReadonlyMap<string, number>, now: number): void {
    this.#insert(
      INSERT_EVENTS,
      events.map((event) => {
        const { programId, customerId, clickId, linkId, partnerId } = event;
        const values: unknown[] = [
          programId,
          customerId ?? customerIds.get(clickId),
          clickId,
          linkId,
          partnerId,
        ];
        for (const field of VISIT_FIELDS) values.push(event[field]);
        values.push(event.at, now);
        return values;
      }),
    );
  }

  /** @returns the ids of the rows; they are consecutive within a statement */
  #insert({ into, row }: MultiRowInsert, rows: readonly unknown[][]): number[] {
    const ids: number[] = [];
    for (const batch of batchRows(rows)) {
      const statement = this.#statements.get(`INSERT INTO ${into} ${valuesList(row, batch.length)}`);
      const last = Number(statement.run(batch.flat()).lastInsertRowid);
      for (let id = last - batch.length + 1; id <= last; id++) ids.push(id);
    }
    return ids;
  }
}
