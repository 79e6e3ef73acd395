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
  type NewVisits,
  OutdatedMemory,
  type RememberedLinks,
} from './clicks.ts';
import { type CounterSum, type DailySum, sumClicks } from './clicks-counters.ts';
import { arrayText, ColumnArrays } from './column-arrays.ts';
import { LinkReader, type LinkRow } from './link-facts.ts';
import { LinkMemory } from './link-memory.ts';

/** What the click path asks of the connection that writes. */
export interface ClickSession {
  /** Runs a prepared statement in the transaction, behind those asked for before, without waiting for their answers. */
  run(sql: string, values: readonly unknown[]): Promise<{ rows: unknown[] }>;
  /** Waits for answers only where the commit would not fail with them. */
  leaveToCommit(answers: Promise<unknown>): Promise<void>;
  /** Has no transaction begun yet, so that one statement can be all of it? */
  readonly canRunWhole: boolean;
  /**
   * Has one statement be the whole transaction. It must store the marker, and is answered where a commit would be.
   * @param values of its parameters, given the marker
   * @param explain what the transaction is to fail with, given the error of the statement
   */
  runWhole(
    sql: string,
    values: (marker: string) => readonly unknown[],
    explain: (error: unknown) => unknown,
  ): void;
  /** Which of the rows of a counter this process adds to. */
  readonly slot: number;
}

type AnsweredKey = ClickKeyRef & { answer: string };

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

const NAMED = new ColumnArrays<{ programId: number; clickId: string }>({
  programId: 'bigint',
  clickId: 'text',
});

const NAMED_CUSTOMERS = `${NAMED.as('named', 1)}
  JOIN customers c ON c.program_id = named."programId" AND c.click_id = named."clickId"`;

const LOCK_CUSTOMERS = `
  SELECT c.id FROM ${NAMED_CUSTOMERS}
  ORDER BY c.program_id, c.id FOR UPDATE OF c`;

const SELECT_CUSTOMERS = `
  SELECT c.program_id AS "programId", c.id, c.click_id AS "clickId", c.partner_id AS "partnerId",
    c.link_id AS "linkId", c.status, l.short_link AS "shortLink"
  FROM ${NAMED_CUSTOMERS}
  JOIN links l ON l.program_id = c.program_id AND l.id = c.link_id`;

const KEY_REFS = new ColumnArrays<ClickKeyRef>({ programId: 'bigint', linkId: 'bigint', key: 'text' });

const SELECT_KEYS = `
  SELECT k.program_id AS "programId", k.link_id AS "linkId", k.key, k.answer
  FROM ${KEY_REFS.as('named', 1)}
  JOIN click_keys k ON k.program_id = named."programId" AND k.link_id = named."linkId" AND k.key = named.key`;

const KEYS = new ColumnArrays<AnsweredKey>({
  programId: 'bigint',
  linkId: 'bigint',
  key: 'text',
  answer: 'text',
});

/** Of these fragments, `now` and `slot` are parameters, and `first` is the number of the first of their rows. */
const insertKeys = (now: string, first: number) => `
  INSERT INTO click_keys (program_id, link_id, key, answer, created_at)
  SELECT k."programId", k."linkId", k.key, k.answer, ${now}::bigint
  FROM ${KEYS.as('k', first)}
  ORDER BY k."programId", k."linkId", k.key`;

const INSERT_KEYS = `${insertKeys('$1', 2)}
  ON CONFLICT DO NOTHING
  RETURNING program_id AS "programId", link_id AS "linkId", key`;

const CUSTOMERS = new ColumnArrays<NewCustomer>({
  programId: 'bigint',
  clickId: 'text',
  partnerId: 'bigint',
  linkId: 'bigint',
  at: 'bigint',
});

const INSERT_CUSTOMERS = `
  INSERT INTO customers (program_id, click_id, partner_id, link_id, status, last_click_at, created_at)
  SELECT c."programId", c."clickId", c."partnerId", c."linkId", 'click', c.at, $1::bigint
  FROM ${CUSTOMERS.as('c', 2)}`;

const TOUCHES = new ColumnArrays<CustomerTouch>({
  programId: 'bigint',
  customerId: 'bigint',
  partnerId: 'bigint',
  linkId: 'bigint',
  lastClickAt: 'bigint',
});

const UPDATE_CUSTOMERS = `
  UPDATE customers SET partner_id = touch."partnerId", link_id = touch."linkId",
    last_click_at = GREATEST(customers.last_click_at, touch."lastClickAt")
  FROM ${TOUCHES.as('touch', 1)}
  WHERE customers.program_id = touch."programId" AND customers.id = touch."customerId"`;

const EVENTS = new ColumnArrays<NewClickEvent>({
  programId: 'bigint',
  customerId: 'bigint',
  clickId: 'text',
  linkId: 'bigint',
  partnerId: 'bigint',
  sessionId: 'text',
  pageUrl: 'text',
  referrerUrl: 'text',
  geoCountry: 'text',
  geoRegion: 'text',
  geoCity: 'text',
  deviceType: 'text',
  deviceOs: 'text',
  browserName: 'text',
  details: 'text',
  at: 'bigint',
});

/** @param events the rows, as `e` */
const insertEvents = (customerId: string, now: string, events: string) => `
  INSERT INTO click_events (program_id, customer_id, click_id, link_id, partner_id, session_id, page_url,
    referrer_url, geo_country, geo_region, geo_city, device_type, device_os, browser_name, details, is_test, click_at,
    created_at)
  SELECT e."programId", ${customerId}, e."clickId", e."linkId", e."partnerId", e."sessionId", e."pageUrl",
    e."referrerUrl", e."geoCountry", e."geoRegion", e."geoCity", e."deviceType", e."deviceOs", e."browserName",
    e.details, 0, e.at, ${now}::bigint
  FROM ${events}`;

const INSERT_EVENTS = insertEvents(
  `COALESCE(e."customerId",
    (SELECT c.id FROM customers c WHERE c.program_id = e."programId" AND c.click_id = e."clickId"))`,
  '$1',
  EVENTS.as('e', 2),
);

const COUNTERS = new ColumnArrays<CounterSum>({
  programId: 'bigint',
  subject: 'text',
  subjectId: 'bigint',
  value: 'bigint',
  lastAt: 'bigint',
});

const addCounters = (slot: string, first: number) => `
  INSERT INTO counters (program_id, subject, subject_id, measure, slot, value, last_at)
  SELECT s."programId", s.subject, s."subjectId", 'clicks', ${slot}::bigint, s.value, s."lastAt"
  FROM ${COUNTERS.as('s', first)}
  ON CONFLICT (program_id, subject, subject_id, measure, slot) DO UPDATE
  SET value = counters.value + excluded.value, last_at = GREATEST(counters.last_at, excluded.last_at)`;

const DAYS = new ColumnArrays<DailySum>({
  programId: 'bigint',
  partnerId: 'bigint',
  day: 'bigint',
  value: 'bigint',
});

const addDays = (slot: string, first: number) => `
  INSERT INTO daily_totals (program_id, partner_id, day, measure, slot, value)
  SELECT s."programId", s."partnerId", s.day, 'clicks', ${slot}::bigint, s.value
  FROM ${DAYS.as('s', first)}
  ON CONFLICT (program_id, partner_id, day, measure, slot) DO UPDATE
  SET value = daily_totals.value + excluded.value`;

const ADD_COUNTERS = addCounters('$1', 2);
const ADD_DAYS = addDays('$1', 2);

/** Of the first list, behind the marker, the time, the slot, and the two lists of links. */
const FIRST_LIST = 6;
const FIRST_COUNTER = FIRST_LIST + EVENTS.count;
const FIRST_DAY = FIRST_COUNTER + COUNTERS.count;
const FIRST_KEY = FIRST_DAY + DAYS.count;

/**
 * A whole transaction: visits of people who are new, each with a customer of its own. Divides by zero, so that nothing
 * is stored, unless every link is as it is remembered. Postgres runs its parts from the last to the first, so that it locks
 * rows in the order in which several statements do.
 */
const recordVisits = (furtherParts = '') => `
  WITH marker AS (
    INSERT INTO commit_markers (id, created_at)
    VALUES ($1::text, (extract(epoch FROM clock_timestamp()) * 1000)::bigint)),
  totalled AS (${addDays('$3', FIRST_DAY)}),
  counted AS (${addCounters('$3', FIRST_COUNTER)}),
  visits AS MATERIALIZED (
    SELECT nextval((SELECT pg_get_serial_sequence('customers', 'id')::regclass)) AS id, e.*
    FROM ${EVENTS.as('e', FIRST_LIST)}),
  recorded AS (${insertEvents('e.id', '$2', 'visits e')}),
  made AS (
    INSERT INTO customers (program_id, id, click_id, partner_id, link_id, status, last_click_at, created_at)
    SELECT v."programId", v.id, v."clickId", v."partnerId", v."linkId", 'click', v.at, $2::bigint
    FROM visits v)${furtherParts}
  SELECT 1 / bool_and(present.fingerprint IS NOT DISTINCT FROM remembered.fingerprint)::int
  FROM unnest($4::text[], $5::text[]) AS remembered (short_link, fingerprint)
  LEFT JOIN (SELECT d.short_link, ${FINGERPRINT} AS fingerprint ${LINKS}) AS present
    ON present.short_link = remembered.short_link`;

const RECORD_VISITS = recordVisits();
const RECORD_KEYED_VISITS = recordVisits(`,
  claimed AS (${insertKeys('$2', FIRST_KEY)})`);

const DIVISION_BY_ZERO = '22012';
const UNIQUE_VIOLATION = '23505';

/** The click path on Postgres: a handful of statements, whatever the number of clicks. */
export class PostgresClickStore implements ClickStore {
  readonly memory: ClickMemory = {
    recall: (shortLinks) => (this.#session.canRunWhole ? this.#memory.recall(shortLinks) : null),
    save: (visits, remembered) => this.#saveRemembered(visits, remembered),
  };
  readonly #session: ClickSession;
  readonly #memory = new LinkMemory();
  // A link that is remembered keeps the origins that were read with it.
  readonly #links = new LinkReader(() => this.#memory.forget());

  constructor(session: ClickSession) {
    this.#session = session;
  }

  async load(
    shortLinks: readonly string[],
    customers: readonly { programId: number; clickId: string }[],
  ): Promise<{ links: LinkFacts[]; customers: ClickedCustomer[] }> {
    const named = NAMED.values(customers);
    const isNamed = customers.length > 0;
    const [links, , found] = await Promise.all([
      this.#session.run(SELECT_LINKS, [arrayText(shortLinks)]),
      // Read only once they are locked, by a statement of its own: a lock that had to wait yields a row as another
      // writer has just left it, but joins it to the link that it had before, which loses the row.
      isNamed && this.#session.run(LOCK_CUSTOMERS, named),
      isNamed && this.#session.run(SELECT_CUSTOMERS, named),
    ]);
    return {
      links: this.#read(shortLinks, links.rows as (LinkRow & { fingerprint: string })[]),
      customers: found ? (found.rows as ClickedCustomer[]) : [],
    };
  }

  async claimKeys(keys: readonly AnsweredKey[], now: number): Promise<AnsweredKey[]> {
    const taken: AnsweredKey[] = [];
    let open = keys;
    // One that is neither stored nor found has expired in between, and can be claimed now.
    while (open.length > 0) {
      const inserted = await this.#session.run(INSERT_KEYS, [now, ...KEYS.values(open)]);
      open = without(open, inserted.rows as ClickKeyRef[]);
      if (open.length === 0) break;
      const found = await this.findAnswers(open);
      taken.push(...found);
      open = without(open, found);
    }
    return taken;
  }

  async findAnswers(keys: readonly ClickKeyRef[]): Promise<AnsweredKey[]> {
    const { rows } = await this.#session.run(SELECT_KEYS, KEY_REFS.values(keys));
    return rows as AnsweredKey[];
  }

  async save({ customers, touches, events, now }: ClickBatch): Promise<void> {
    const { counters, days } = sumClicks(events);
    const { run, slot } = this.#session;
    await this.#session.leaveToCommit(
      Promise.all([
        customers.length > 0 && run(INSERT_CUSTOMERS, [now, ...CUSTOMERS.values(customers)]),
        touches.length > 0 && run(UPDATE_CUSTOMERS, TOUCHES.values(touches)),
        run(INSERT_EVENTS, [now, ...EVENTS.values(events)]),
        run(ADD_COUNTERS, [slot, ...COUNTERS.values(counters)]),
        run(ADD_DAYS, [slot, ...DAYS.values(days)]),
      ]),
    );
  }

  #read(shortLinks: readonly string[], rows: readonly (LinkRow & { fingerprint: string })[]): LinkFacts[] {
    const links = rows.map(({ fingerprint, ...row }) => {
      const link = this.#links.read(row);
      this.#memory.remember(link, fingerprint);
      return link;
    });
    const found = new Set(links.map(({ shortLink }) => shortLink));
    for (const shortLink of shortLinks) if (!found.has(shortLink)) this.#memory.rememberAbsent(shortLink);
    return links;
  }

  #saveRemembered({ events, keys, now }: NewVisits, { shortLinks, fingerprints }: RememberedLinks): void {
    const { counters, days } = sumClicks(events);
    const lists = [
      arrayText(shortLinks),
      arrayText(fingerprints),
      ...EVENTS.values(events),
      ...COUNTERS.values(counters),
      ...DAYS.values(days),
      ...(keys.length > 0 ? KEYS.values(keys) : []),
    ];
    this.#session.runWhole(
      keys.length > 0 ? RECORD_KEYED_VISITS : RECORD_VISITS,
      (marker) => [marker, now, this.#session.slot, ...lists],
      (error) => {
        const code = error instanceof Error && 'code' in error ? error.code : undefined;
        // A key that is taken says nothing of the links.
        if (code !== UNIQUE_VIOLATION) this.#memory.forget();
        return code === DIVISION_BY_ZERO || code === UNIQUE_VIOLATION
          ? new OutdatedMemory('A link has changed, or a key is taken', { cause: error })
          : error;
      },
    );
  }
}

function without(keys: readonly AnsweredKey[], gone: readonly ClickKeyRef[]): AnsweredKey[] {
  const nameOf = ({ programId, linkId, key }: ClickKeyRef) => `${programId}:${linkId}:${key}`;
  const names = new Set(gone.map(nameOf));
  return keys.filter((key) => !names.has(nameOf(key)));
}
