import {
  type ClickBatch,
  type ClickedCustomer,
  type ClickKeyRef,
  type ClickMemory,
  type ClickStore,
  type LinkFacts,
  type NewVisits,
  OutdatedMemory,
  type RememberedLinks,
} from './clicks.ts';
import { sumClicks } from './clicks-counters.ts';
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

const SELECT_KEYS = `
  SELECT k.program_id AS "programId", k.link_id AS "linkId", k.key, k.answer
  FROM json_to_recordset($1::json) AS named ("programId" bigint, "linkId" bigint, key text)
  JOIN click_keys k ON k.program_id = named."programId" AND k.link_id = named."linkId" AND k.key = named.key`;

/** The lists of a batch are parameters in JSON, so that a statement has one text and one plan however long they are. */
const insertKeys = (keys: string, now: string) => `
  INSERT INTO click_keys (program_id, link_id, key, answer, created_at)
  SELECT k."programId", k."linkId", k.key, k.answer, ${now}::bigint
  FROM json_to_recordset(${keys}::json) AS k ("programId" bigint, "linkId" bigint, key text, answer text)
  ORDER BY k."programId", k."linkId", k.key`;

const INSERT_KEYS = `${insertKeys('$1', '$2')}
  ON CONFLICT DO NOTHING
  RETURNING program_id AS "programId", link_id AS "linkId", key`;

const INSERT_CUSTOMERS = `
  INSERT INTO customers (program_id, click_id, partner_id, link_id, status, last_click_at, created_at)
  SELECT c."programId", c."clickId", c."partnerId", c."linkId", 'click', c.at, $2::bigint
  FROM json_to_recordset($1::json)
    AS c ("programId" bigint, "clickId" text, "partnerId" bigint, "linkId" bigint, at bigint)`;

const UPDATE_CUSTOMERS = `
  UPDATE customers SET partner_id = touch."partnerId", link_id = touch."linkId",
    last_click_at = GREATEST(customers.last_click_at, touch."lastClickAt")
  FROM json_to_recordset($1::json) AS touch ("programId" bigint, "customerId" bigint, "partnerId" bigint,
    "linkId" bigint, "lastClickAt" bigint)
  WHERE customers.program_id = touch."programId" AND customers.id = touch."customerId"`;

const eventsIn = (
  events: string,
) => `json_to_recordset(${events}::json) AS e ("programId" bigint, "customerId" bigint,
    "clickId" text, "linkId" bigint, "partnerId" bigint, "sessionId" text, "pageUrl" text, "referrerUrl" text,
    "geoCountry" text, "geoRegion" text, "geoCity" text, "deviceType" text, "deviceOs" text, "browserName" text,
    details text, at bigint)`;

const insertEvents = (customerId: string, events: string, now: string) => `
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
  eventsIn('$1'),
  '$2',
);

const addCounters = (counters: string, slot: string) => `
  INSERT INTO counters (program_id, subject, subject_id, measure, slot, value, last_at)
  SELECT s."programId", s.subject, s."subjectId", 'clicks', ${slot}::bigint, s.value, s."lastAt"
  FROM json_to_recordset(${counters}::json)
    AS s ("programId" bigint, subject text, "subjectId" bigint, value bigint, "lastAt" bigint)
  ON CONFLICT (program_id, subject, subject_id, measure, slot) DO UPDATE
  SET value = counters.value + excluded.value, last_at = GREATEST(counters.last_at, excluded.last_at)`;

const addDays = (days: string, slot: string) => `
  INSERT INTO daily_totals (program_id, partner_id, day, measure, slot, value)
  SELECT s."programId", s."partnerId", s.day, 'clicks', ${slot}::bigint, s.value
  FROM json_to_recordset(${days}::json) AS s ("programId" bigint, "partnerId" bigint, day bigint, value bigint)
  ON CONFLICT (program_id, partner_id, day, measure, slot) DO UPDATE
  SET value = daily_totals.value + excluded.value`;

const ADD_COUNTERS = addCounters('$1', '$2');
const ADD_DAYS = addDays('$1', '$2');

/**
 * A whole transaction: visits of people who are new, each with a customer of its own. Divides by zero, so that nothing
 * is stored, unless every link is as it is remembered.
 */
const RECORD_VISITS = `
  WITH marker AS (
    INSERT INTO commit_markers (id, created_at)
    VALUES ($1::text, (extract(epoch FROM clock_timestamp()) * 1000)::bigint)),
  visits AS MATERIALIZED (
    SELECT nextval((SELECT pg_get_serial_sequence('customers', 'id')::regclass)) AS id, e.* FROM ${eventsIn('$2')}),
  made AS (
    INSERT INTO customers (program_id, id, click_id, partner_id, link_id, status, last_click_at, created_at)
    SELECT v."programId", v.id, v."clickId", v."partnerId", v."linkId", 'click', v.at, $3::bigint FROM visits v),
  recorded AS (${insertEvents('e.id', 'visits e', '$3')}),
  claimed AS (${insertKeys('$4', '$3')}),
  counted AS (${addCounters('$5', '$7')}),
  totalled AS (${addDays('$6', '$7')})
  SELECT 1 / bool_and(present.fingerprint IS NOT DISTINCT FROM remembered.fingerprint)::int
  FROM unnest($8::text[], $9::text[]) AS remembered (short_link, fingerprint)
  LEFT JOIN (SELECT d.short_link, ${FINGERPRINT} AS fingerprint ${LINKS}) AS present
    ON present.short_link = remembered.short_link`;

const DIVISION_BY_ZERO = '22012';
const UNIQUE_VIOLATION = '23505';

/** The click path on Postgres: a handful of statements, whatever the number of clicks. */
export class PostgresClickStore implements ClickStore {
  readonly memory: ClickMemory = {
    recall: (shortLinks) => (this.#session.canRunWhole ? this.#memory.recall(shortLinks) : null),
    save: (visits, remembered) => this.#saveRemembered(visits, remembered),
  };
  readonly #session: ClickSession;
  readonly #links = new LinkReader();
  readonly #memory = new LinkMemory();

  constructor(session: ClickSession) {
    this.#session = session;
  }

  async load(
    shortLinks: readonly string[],
    customers: readonly { programId: number; clickId: string }[],
  ): Promise<{ links: LinkFacts[]; customers: ClickedCustomer[] }> {
    const named = [customers.map((customer) => customer.programId), customers.map(({ clickId }) => clickId)];
    const isNamed = customers.length > 0;
    const [links, , found] = await Promise.all([
      this.#session.run(SELECT_LINKS, [shortLinks]),
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
      const inserted = await this.#session.run(INSERT_KEYS, [JSON.stringify(open), now]);
      open = without(open, inserted.rows as ClickKeyRef[]);
      if (open.length === 0) break;
      const found = await this.findAnswers(open);
      taken.push(...found);
      open = without(open, found);
    }
    return taken;
  }

  async findAnswers(keys: readonly ClickKeyRef[]): Promise<AnsweredKey[]> {
    const { rows } = await this.#session.run(SELECT_KEYS, [JSON.stringify(keys)]);
    return rows as AnsweredKey[];
  }

  async save({ customers, touches, events, now }: ClickBatch): Promise<void> {
    const { counters, days } = sumClicks(events);
    const { run, slot } = this.#session;
    await this.#session.leaveToCommit(
      Promise.all([
        customers.length > 0 && run(INSERT_CUSTOMERS, [JSON.stringify(customers), now]),
        touches.length > 0 && run(UPDATE_CUSTOMERS, [JSON.stringify(touches)]),
        run(INSERT_EVENTS, [JSON.stringify(events), now]),
        run(ADD_COUNTERS, [JSON.stringify(counters), slot]),
        run(ADD_DAYS, [JSON.stringify(days), slot]),
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
      JSON.stringify(events),
      now,
      ...[keys, counters, days].map((list) => JSON.stringify(list)),
    ];
    this.#session.runWhole(
      RECORD_VISITS,
      (marker) => [marker, ...lists, this.#session.slot, shortLinks, fingerprints],
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
