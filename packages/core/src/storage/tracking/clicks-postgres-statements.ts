import { VISIT_COLUMN_NAMES, VISIT_FIELD_TYPES, VISIT_FIELDS } from '../database/click-columns.ts';
import type {
  ClickKeyRef,
  CounterSum,
  CustomerTouch,
  DailySum,
  NewClickEvent,
  NewCustomer,
  StoredReply,
} from '../database/click-store.ts';
import { RowParameters } from '../database/row-parameters.ts';
import type { Schema } from '../database/schema.ts';

/**
 * Returns the name of a table for a statement. For a statement that runs on a shard, it returns a placeholder. A
 * trigger later replaces the placeholder with the name of the table's shard.
 */
export type NameOf = (table: keyof Schema) => string;

const unchanged: NameOf = (table) => table;

/** The tables that are joined with a link `l`. */
export const joinLinkRules = (nameOf: NameOf) => `
  JOIN ${nameOf('programs')} p ON p.id = l.program_id
  LEFT JOIN ${nameOf('partner_programs')} pp ON pp.program_id = l.program_id AND pp.partner_id = l.partner_id`;

export const FROM_LINKS = `
  FROM link_directory d
  JOIN links l ON l.program_id = d.program_id AND l.id = d.link_id
  ${joinLinkRules(unchanged)}`;

/** A hash of all data that `SELECT_LINKS` reads from a link. */
export const LINK_FINGERPRINT = `encode(sha256(convert_to(ROW(l.id, l.program_id, l.short_link, l.partner_id, l.status, pp.status, p.deleted_at,
    p.cookie_window_days, p.attribution_model, p.allowed_origins, p.require_origin, p.cookie_domain)::text, 'UTF8')), 'hex')`;

const LINK_COLUMNS = `l.short_link AS "shortLink", l.id AS "linkId", l.program_id AS "programId", l.partner_id AS "partnerId",
    l.status, pp.status AS "partnerProgramStatus", p.deleted_at AS "deletedAt",
    p.cookie_window_days AS "cookieWindowDays", p.attribution_model AS "attributionModel",
    p.allowed_origins AS "allowedOrigins", p.require_origin AS "requireOrigin", p.cookie_domain AS "cookieDomain",
    ${LINK_FINGERPRINT} AS fingerprint`;

export const SELECT_LINKS = `
  SELECT d.short_link AS code, ${LINK_COLUMNS}
  ${FROM_LINKS}
  WHERE d.short_link = ANY($1::text[])`;

/** Reads the directory, which is on the coordinator of a Citus cluster. */
export const SELECT_DIRECTORY = `
  SELECT short_link AS code, program_id AS "programId", link_id AS "linkId"
  FROM link_directory WHERE short_link = ANY($1::text[])`;

export const SELECT_LINKS_OF_PROGRAM = `
  SELECT ${LINK_COLUMNS}
  FROM links l ${joinLinkRules(unchanged)}
  WHERE l.program_id = $1::bigint AND l.id = ANY($2::bigint[])`;

export const CUSTOMER_REF_PARAMETERS = new RowParameters<{ programId: number; clickId: string }>({
  programId: 'bigint',
  clickId: 'text',
});

const NAMED_CUSTOMERS = `${CUSTOMER_REF_PARAMETERS.fromArrays('named', 1)}
  JOIN customers c ON c.program_id = named."programId" AND c.click_id = named."clickId"`;

export const LOCK_CUSTOMERS = `
  SELECT c.id FROM ${NAMED_CUSTOMERS}
  ORDER BY c.program_id, c.id FOR UPDATE OF c`;

const selectCustomers = (customers: string) => `
  SELECT c.program_id AS "programId", c.id, c.click_id AS "clickId", c.partner_id AS "partnerId",
    c.link_id AS "linkId", c.status, l.short_link AS "shortLink"
  FROM ${customers}
  JOIN links l ON l.program_id = c.program_id AND l.id = c.link_id`;

export const SELECT_CUSTOMERS = selectCustomers(NAMED_CUSTOMERS);

// Citus rejects a statement that locks or updates rows and does not name the program. On Citus, statements that lock or
// update customers are therefore sent once for each program.

const OF_PROGRAM = 'WHERE c.program_id = $1::bigint AND c.click_id = ANY($2::text[])';

export const LOCK_CUSTOMERS_OF_PROGRAM = `
  SELECT c.id FROM customers c ${OF_PROGRAM} ORDER BY c.id FOR UPDATE OF c`;

export const SELECT_CUSTOMERS_OF_PROGRAM = `${selectCustomers('customers c')} ${OF_PROGRAM}`;

export const KEY_REF_PARAMETERS = new RowParameters<ClickKeyRef>({
  programId: 'bigint',
  linkId: 'bigint',
  key: 'text',
});

export const SELECT_KEYS = `
  SELECT k.program_id AS "programId", k.link_id AS "linkId", k.key, k.answer AS reply
  FROM ${KEY_REF_PARAMETERS.fromArrays('named', 1)}
  JOIN click_keys k ON k.program_id = named."programId" AND k.link_id = named."linkId" AND k.key = named.key`;

export const KEY_PARAMETERS = new RowParameters<StoredReply>({
  programId: 'bigint',
  linkId: 'bigint',
  key: 'text',
  reply: 'text',
});

/** @param keys a FROM item with the alias `k` */
export const insertKeys = (now: string, keys: string, nameOf = unchanged) => `
  INSERT INTO ${nameOf('click_keys')} (program_id, link_id, key, answer, created_at)
  SELECT k."programId", k."linkId", k.key, k.reply, ${now}::bigint
  FROM ${keys}
  ORDER BY k."programId", k."linkId", k.key`;

export const INSERT_KEYS = `${insertKeys('$1', KEY_PARAMETERS.fromArrays('k', 2))}
  ON CONFLICT DO NOTHING
  RETURNING program_id AS "programId", link_id AS "linkId", key`;

const CUSTOMER_TYPES = {
  programId: 'bigint',
  clickId: 'text',
  partnerId: 'bigint',
  linkId: 'bigint',
  at: 'bigint',
} as const;

export const CUSTOMER_PARAMETERS = new RowParameters<NewCustomer>(CUSTOMER_TYPES);

export const INSERT_CUSTOMERS = `
  INSERT INTO customers (program_id, click_id, partner_id, link_id, status, last_click_at, created_at)
  SELECT c."programId", c."clickId", c."partnerId", c."linkId", 'click', c.at, $1::bigint
  FROM ${CUSTOMER_PARAMETERS.fromArrays('c', 2)}`;

/**
 * Creates the customers of first visits.
 * @param visits a FROM item with the alias `v`; its column `id` contains the ids of the new customers
 */
export const insertVisitors = (now: string, visits: string, nameOf = unchanged) => `
  INSERT INTO ${nameOf('customers')} (program_id, id, click_id, partner_id, link_id, status, last_click_at, created_at)
  SELECT v."programId", v.id, v."clickId", v."partnerId", v."linkId", 'click', v.at, ${now}::bigint
  FROM ${visits}`;

export const NEXT_CUSTOMER_IDS = `SELECT unnest(affkit_next_ids('customers', $1::int)) AS id`;

export const IDENTIFIED_CUSTOMER_PARAMETERS = new RowParameters<NewCustomer & { readonly id: number }>({
  id: 'bigint',
  ...CUSTOMER_TYPES,
});

export const INSERT_IDENTIFIED_CUSTOMERS = insertVisitors(
  '$1',
  IDENTIFIED_CUSTOMER_PARAMETERS.fromArrays('v', 2),
);

export const TOUCH_PARAMETERS = new RowParameters<CustomerTouch>({
  programId: 'bigint',
  customerId: 'bigint',
  partnerId: 'bigint',
  linkId: 'bigint',
  lastClickAt: 'bigint',
});

export const UPDATE_CUSTOMERS = `
  UPDATE customers SET partner_id = touch."partnerId", link_id = touch."linkId",
    last_click_at = GREATEST(customers.last_click_at, touch."lastClickAt")
  FROM ${TOUCH_PARAMETERS.fromArrays('touch', 1)}
  WHERE customers.program_id = touch."programId" AND customers.id = touch."customerId"`;

export const UPDATE_CUSTOMERS_OF_PROGRAM = `${UPDATE_CUSTOMERS}
  AND customers.program_id = $${TOUCH_PARAMETERS.columnCount + 1}::bigint`;

const CLICK_EVENT_TYPES = {
  programId: 'bigint',
  customerId: 'bigint',
  clickId: 'text',
  linkId: 'bigint',
  partnerId: 'bigint',
  ...VISIT_FIELD_TYPES,
  at: 'bigint',
} as const;

export const CLICK_EVENT_PARAMETERS = new RowParameters<NewClickEvent>(CLICK_EVENT_TYPES);

/** The parameters of first visits. `id` is the id of the new customer. */
export const NEW_VISIT_PARAMETERS = new RowParameters<
  NewClickEvent & { readonly id: number; readonly eventId: number }
>({ id: 'bigint', eventId: 'bigint', ...CLICK_EVENT_TYPES });

/**
 * @param events a FROM item with the alias `e`
 * @param id SQL of the id of the event. @default generated by the database
 */
export const insertEvents = (
  customerId: string,
  now: string,
  events: string,
  { nameOf, id }: { readonly nameOf: NameOf; readonly id?: string } = { nameOf: unchanged },
) => `
  INSERT INTO ${nameOf('click_events')} (${id === undefined ? '' : 'id, '}program_id, customer_id, click_id, link_id, partner_id, ${VISIT_COLUMN_NAMES.join(', ')},
    is_test, click_at, created_at)
  SELECT ${id === undefined ? '' : `${id}, `}e."programId", ${customerId}, e."clickId", e."linkId", e."partnerId",
    ${VISIT_FIELDS.map((field) => `e."${field}"`).join(', ')}, 0, e.at, ${now}::bigint
  FROM ${events}`;

export const INSERT_EVENTS = insertEvents(
  `COALESCE(e."customerId",
    (SELECT c.id FROM customers c WHERE c.program_id = e."programId" AND c.click_id = e."clickId"))`,
  '$1',
  CLICK_EVENT_PARAMETERS.fromArrays('e', 2),
);

/** Inserts events whose customers are known. */
export const INSERT_EVENTS_OF_CUSTOMERS = insertEvents(
  'e."customerId"',
  '$1',
  CLICK_EVENT_PARAMETERS.fromArrays('e', 2),
);

export const COUNTER_PARAMETERS = new RowParameters<CounterSum>({
  programId: 'bigint',
  subject: 'text',
  subjectId: 'bigint',
  value: 'bigint',
  lastAt: 'bigint',
});

/** @param sums a FROM item with the alias `s` */
export const addCounters = (slot: string, sums: string, nameOf = unchanged) => `
  INSERT INTO ${nameOf('counters')} AS counters (program_id, subject, subject_id, measure, slot, value, last_at)
  SELECT s."programId", s.subject, s."subjectId", 'clicks', ${slot}::bigint, s.value, s."lastAt"
  FROM ${sums}
  ON CONFLICT (program_id, subject, subject_id, measure, slot) DO UPDATE
  SET value = counters.value + excluded.value, last_at = GREATEST(counters.last_at, excluded.last_at)`;

export const DAILY_SUM_PARAMETERS = new RowParameters<DailySum>({
  programId: 'bigint',
  partnerId: 'bigint',
  day: 'bigint',
  value: 'bigint',
});

/** @param sums a FROM item with the alias `s` */
export const addDays = (slot: string, sums: string, nameOf = unchanged) => `
  INSERT INTO ${nameOf('daily_totals')} AS daily_totals (program_id, partner_id, day, measure, slot, value)
  SELECT s."programId", s."partnerId", s.day, 'clicks', ${slot}::bigint, s.value
  FROM ${sums}
  ON CONFLICT (program_id, partner_id, day, measure, slot) DO UPDATE
  SET value = daily_totals.value + excluded.value`;

export const ADD_COUNTERS = addCounters('$1', COUNTER_PARAMETERS.fromArrays('s', 2));
export const ADD_DAYS = addDays('$1', DAILY_SUM_PARAMETERS.fromArrays('s', 2));
