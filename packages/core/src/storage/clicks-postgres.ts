import {
  type ClickBatch,
  type ClickedCustomer,
  type ClickKeyRef,
  type ClickMemory,
  type ClickStore,
  type CustomerTouch,
  type LinkFacts,
  type NewClickEvent,
  type NewCustomer,
  OutdatedMemory,
  type RememberedLinks,
} from './clicks.ts';
import { type CounterSum, type DailySum, sumClicks } from './clicks-counters.ts';
import { LinkReader, type LinkRow } from './link-facts.ts';
import { LinkMemory } from './link-memory.ts';

/**
 * Runs a prepared statement behind those asked for before, without waiting for their answers; a write waits until the
 * transaction has begun, unless it does nothing outside of one.
 */
type Run = (sql: string, values: readonly unknown[], isSafeOutside?: boolean) => Promise<{ rows: unknown[] }>;

type AnsweredKey = ClickKeyRef & { answer: string };

/** Holds once the transaction has stored its marker: outside of one no row is chosen, so that nothing is written. */
const IN_TRANSACTION = 'txid_current_if_assigned() IS NOT NULL';

const LINKS = `
  FROM link_directory d
  JOIN links l ON l.program_id = d.program_id AND l.id = d.link_id
  JOIN programs p ON p.id = l.program_id
  LEFT JOIN partner_programs pp ON pp.program_id = l.program_id AND pp.partner_id = l.partner_id`;

/** Of all that `SELECT_LINKS` tells of a link. */
const FINGERPRINT = `encode(sha256(convert_to(ROW(l.id, l.program_id, l.partner_id, l.status, pp.status, p.deleted_at,
    p.cookie_window_days, p.attribution_model, p.allowed_origins, p.cookie_domain)::text, 'UTF8')), 'hex')`;

const SELECT_LINKS = `
  SELECT d.short_link AS "shortLink", l.id AS "linkId", l.program_id AS "programId", l.partner_id AS "partnerId",
    l.status, pp.status AS "partnerProgramStatus", p.deleted_at AS "deletedAt",
    p.cookie_window_days AS "cookieWindowDays", p.attribution_model AS "attributionModel",
    p.allowed_origins AS "allowedOrigins", p.cookie_domain AS "cookieDomain", ${FINGERPRINT} AS fingerprint
  ${LINKS}
  WHERE d.short_link = ANY($1::text[])`;

/** Divides by zero, which fails the transaction, unless every link is as it is remembered. */
const REQUIRE_LINKS = `
  SELECT 1 / bool_and(present.fingerprint IS NOT DISTINCT FROM remembered.fingerprint)::int
  FROM unnest($1::text[], $2::text[]) AS remembered (short_link, fingerprint)
  LEFT JOIN (SELECT d.short_link, ${FINGERPRINT} AS fingerprint ${LINKS}) AS present
    ON present.short_link = remembered.short_link`;

const DIVISION_BY_ZERO = '22012';
const UNIQUE_VIOLATION = '23505';

const LOCK_CUSTOMERS = `
  SELECT c.id FROM unnest($1::bigint[], $2::text[]) AS named (program_id, click_id)
  JOIN customers c ON c.program_id = named.program_id AND c.click_id = named.click_id
  ORDER BY c.program_id, c.id FOR UPDATE OF c`;

const SELECT_CUSTOMERS = `
  SELECT c.program_id AS "programId", c.id, c.click_id AS "clickId", c.partner_id AS "partnerId",
    c.link_id AS "linkId", c.status, l.short_link AS "shortLink"
  FROM unnest($1::bigint[], $2::text[]) AS named (program_id, click_id)
  JOIN customers c ON c.program_id = named.program_id AND c.click_id = named.click_id
  JOIN links l ON l.program_id = c.program_id AND l.id = c.link_id`;

const INSERT_NEW_KEYS = `
  INSERT INTO click_keys (program_id, link_id, key, answer, created_at)
  SELECT k.program_id, k.link_id, k.key, k.answer, $5::bigint
  FROM unnest($1::bigint[], $2::bigint[], $3::text[], $4::text[]) AS k (program_id, link_id, key, answer)
  WHERE ${IN_TRANSACTION}
  ORDER BY k.program_id, k.link_id, k.key`;

const INSERT_KEYS = `${INSERT_NEW_KEYS}
  ON CONFLICT DO NOTHING
  RETURNING program_id AS "programId", link_id AS "linkId", key`;

const SELECT_KEYS = `
  SELECT k.program_id AS "programId", k.link_id AS "linkId", k.key, k.answer
  FROM unnest($1::bigint[], $2::bigint[], $3::text[]) AS named (program_id, link_id, key)
  JOIN click_keys k ON k.program_id = named.program_id AND k.link_id = named.link_id AND k.key = named.key`;

const INSERT_CUSTOMERS = `
  INSERT INTO customers (program_id, click_id, partner_id, link_id, status, last_click_at, created_at)
  SELECT c.program_id, c.click_id, c.partner_id, c.link_id, 'click', c.at, $6::bigint
  FROM unnest($1::bigint[], $2::text[], $3::bigint[], $4::bigint[], $5::bigint[])
    AS c (program_id, click_id, partner_id, link_id, at)
  WHERE ${IN_TRANSACTION}`;

const UPDATE_CUSTOMERS = `
  UPDATE customers SET partner_id = touch.partner_id, link_id = touch.link_id,
    last_click_at = GREATEST(customers.last_click_at, touch.at)
  FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[])
    AS touch (program_id, id, partner_id, link_id, at)
  WHERE customers.program_id = touch.program_id AND customers.id = touch.id AND ${IN_TRANSACTION}`;

const INSERT_EVENTS = `
  INSERT INTO click_events (program_id, customer_id, click_id, link_id, partner_id, session_id, page_url,
    referrer_url, geo_country, geo_region, geo_city, device_type, device_os, browser_name, details, is_test, click_at,
    created_at)
  SELECT e.program_id,
    COALESCE(e.customer_id,
      (SELECT c.id FROM customers c WHERE c.program_id = e.program_id AND c.click_id = e.click_id)),
    e.click_id, e.link_id, e.partner_id, e.session_id, e.page_url, e.referrer_url, e.geo_country, e.geo_region,
    e.geo_city, e.device_type, e.device_os, e.browser_name, e.details, 0, e.at, $17::bigint
  FROM unnest($1::bigint[], $2::bigint[], $3::text[], $4::bigint[], $5::bigint[], $6::text[], $7::text[], $8::text[],
      $9::text[], $10::text[], $11::text[], $12::text[], $13::text[], $14::text[], $15::text[], $16::bigint[])
    AS e (program_id, customer_id, click_id, link_id, partner_id, session_id, page_url, referrer_url, geo_country,
      geo_region, geo_city, device_type, device_os, browser_name, details, at)
  WHERE ${IN_TRANSACTION}`;

const ADD_COUNTERS = `
  INSERT INTO counters (program_id, subject, subject_id, measure, slot, value, last_at)
  SELECT s.program_id, s.subject, s.subject_id, 'clicks', $6::bigint, s.value, s.last_at
  FROM unnest($1::bigint[], $2::text[], $3::bigint[], $4::bigint[], $5::bigint[])
    AS s (program_id, subject, subject_id, value, last_at)
  WHERE ${IN_TRANSACTION}
  ON CONFLICT (program_id, subject, subject_id, measure, slot) DO UPDATE
  SET value = counters.value + excluded.value, last_at = GREATEST(counters.last_at, excluded.last_at)`;

const ADD_DAYS = `
  INSERT INTO daily_totals (program_id, partner_id, day, measure, slot, value)
  SELECT s.program_id, s.partner_id, s.day, 'clicks', $5::bigint, s.value
  FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[]) AS s (program_id, partner_id, day, value)
  WHERE ${IN_TRANSACTION}
  ON CONFLICT (program_id, partner_id, day, measure, slot) DO UPDATE
  SET value = daily_totals.value + excluded.value`;

/** The click path on Postgres: a handful of statements over arrays of columns, whatever the number of clicks. */
export class PostgresClickStore implements ClickStore {
  readonly memory: ClickMemory = {
    recall: (shortLinks) => this.#memory.recall(shortLinks),
    save: (batch, keys, remembered) => this.#saveRemembered(batch, keys, remembered),
  };
  readonly #run: Run;
  readonly #slot: { readonly value: number };
  readonly #leaveToCommit: (answers: Promise<unknown>) => Promise<void>;
  readonly #links = new LinkReader();
  readonly #memory = new LinkMemory();

  /** @param leaveToCommit waits for answers only where the commit would not fail with them */
  constructor(
    run: Run,
    slot: { readonly value: number },
    leaveToCommit: (answers: Promise<unknown>) => Promise<void>,
  ) {
    this.#run = run;
    this.#slot = slot;
    this.#leaveToCommit = leaveToCommit;
  }

  async load(
    shortLinks: readonly string[],
    customers: readonly { programId: number; clickId: string }[],
  ): Promise<{ links: LinkFacts[]; customers: ClickedCustomer[] }> {
    const named = [customers.map((customer) => customer.programId), customers.map(({ clickId }) => clickId)];
    const isNamed = customers.length > 0;
    const [links, , found] = await Promise.all([
      this.#run(SELECT_LINKS, [shortLinks]),
      // Read only once they are locked, by a statement of its own: a lock that had to wait yields a row as another
      // writer has just left it, but joins it to the link that it had before, which loses the row.
      isNamed && this.#run(LOCK_CUSTOMERS, named),
      isNamed && this.#run(SELECT_CUSTOMERS, named),
    ]);
    return {
      links: (links.rows as (LinkRow & { fingerprint: string })[]).map(({ fingerprint, ...row }) => {
        const link = this.#links.read(row);
        this.#memory.remember(link, fingerprint);
        return link;
      }),
      customers: found ? (found.rows as ClickedCustomer[]) : [],
    };
  }

  async claimKeys(keys: readonly AnsweredKey[], now: number): Promise<AnsweredKey[]> {
    const taken: AnsweredKey[] = [];
    let open = keys;
    // One that is neither stored nor found has expired in between, and can be claimed now.
    while (open.length > 0) {
      const inserted = await this.#run(INSERT_KEYS, [
        ...columnsOfKeys(open),
        open.map((key) => key.answer),
        now,
      ]);
      open = without(open, inserted.rows as ClickKeyRef[]);
      if (open.length === 0) break;
      const found = await this.findAnswers(open);
      taken.push(...found);
      open = without(open, found);
    }
    return taken;
  }

  async findAnswers(keys: readonly ClickKeyRef[]): Promise<AnsweredKey[]> {
    const { rows } = await this.#run(SELECT_KEYS, columnsOfKeys(keys));
    return rows as AnsweredKey[];
  }

  async save(batch: ClickBatch): Promise<void> {
    await this.#leaveToCommit(Promise.all(this.#write(batch, false)));
  }

  async #saveRemembered(
    batch: ClickBatch,
    keys: readonly AnsweredKey[],
    { links, fingerprints }: RememberedLinks,
  ): Promise<void> {
    const shortLinks = links.map((link) => link.shortLink);
    const answers = Promise.all([
      this.#run(REQUIRE_LINKS, [shortLinks, fingerprints]),
      keys.length > 0 &&
        this.#run(INSERT_NEW_KEYS, [...columnsOfKeys(keys), keys.map((key) => key.answer), batch.now], true),
      ...this.#write(batch, true),
    ]);
    await this.#leaveToCommit(
      answers.catch((error: unknown) => {
        const code = error instanceof Error && 'code' in error ? error.code : undefined;
        // A key that is taken says nothing of the links.
        if (code !== UNIQUE_VIOLATION) this.#memory.forget();
        if (code !== DIVISION_BY_ZERO && code !== UNIQUE_VIOLATION) throw error;
        throw new OutdatedMemory('A link has changed, or a key is taken', { cause: error });
      }),
    );
  }

  #write({ customers, touches, events, now }: ClickBatch, isAtOnce: boolean): Promise<unknown>[] {
    const { counters, days } = sumClicks(events);
    const run = (sql: string, values: readonly unknown[]) => this.#run(sql, values, isAtOnce);
    return [
      ...(customers.length > 0 ? [run(INSERT_CUSTOMERS, [...columnsOfCustomers(customers), now])] : []),
      ...(touches.length > 0 ? [run(UPDATE_CUSTOMERS, columnsOfTouches(touches))] : []),
      run(INSERT_EVENTS, [...columnsOfEvents(events), now]),
      run(ADD_COUNTERS, [...columnsOfCounters(counters), this.#slot.value]),
      run(ADD_DAYS, [...columnsOfDays(days), this.#slot.value]),
    ];
  }
}

function without(keys: readonly AnsweredKey[], gone: readonly ClickKeyRef[]): AnsweredKey[] {
  const nameOf = ({ programId, linkId, key }: ClickKeyRef) => `${programId}:${linkId}:${key}`;
  const names = new Set(gone.map(nameOf));
  return keys.filter((key) => !names.has(nameOf(key)));
}

function columnsOfKeys(keys: readonly ClickKeyRef[]): unknown[][] {
  return [keys.map((key) => key.programId), keys.map((key) => key.linkId), keys.map((key) => key.key)];
}

function columnsOfCustomers(customers: readonly NewCustomer[]): unknown[][] {
  return [
    customers.map((customer) => customer.programId),
    customers.map((customer) => customer.clickId),
    customers.map((customer) => customer.partnerId),
    customers.map((customer) => customer.linkId),
    customers.map((customer) => customer.at),
  ];
}

function columnsOfTouches(touches: readonly CustomerTouch[]): unknown[][] {
  return [
    touches.map((touch) => touch.programId),
    touches.map((touch) => touch.customerId),
    touches.map((touch) => touch.partnerId),
    touches.map((touch) => touch.linkId),
    touches.map((touch) => touch.lastClickAt),
  ];
}

function columnsOfEvents(events: readonly NewClickEvent[]): unknown[][] {
  return [
    events.map((event) => event.programId),
    events.map((event) => event.customerId),
    events.map((event) => event.clickId),
    events.map((event) => event.linkId),
    events.map((event) => event.partnerId),
    events.map((event) => event.sessionId),
    events.map((event) => event.pageUrl),
    events.map((event) => event.referrerUrl),
    events.map((event) => event.geoCountry),
    events.map((event) => event.geoRegion),
    events.map((event) => event.geoCity),
    events.map((event) => event.deviceType),
    events.map((event) => event.deviceOs),
    events.map((event) => event.browserName),
    events.map((event) => event.details),
    events.map((event) => event.at),
  ];
}

function columnsOfCounters(counters: readonly CounterSum[]): unknown[][] {
  return [
    counters.map((sum) => sum.programId),
    counters.map((sum) => sum.subject),
    counters.map((sum) => sum.subjectId),
    counters.map((sum) => sum.value),
    counters.map((sum) => sum.lastAt),
  ];
}

function columnsOfDays(days: readonly DailySum[]): unknown[][] {
  return [
    days.map((sum) => sum.programId),
    days.map((sum) => sum.partnerId),
    days.map((sum) => sum.day),
    days.map((sum) => sum.value),
  ];
}
