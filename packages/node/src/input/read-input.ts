import { AffkitValidationError } from '../errors.ts';
import { errorSummary } from '../redact.ts';
import type { Operation } from '../retry.ts';
import {
  age,
  amount,
  amountOrZero,
  anyText,
  type Check,
  currency,
  flag,
  id,
  idList,
  instant,
  isRecord,
  isWithin,
  jsonObject,
  jsonObjectOrArray,
  oneOf,
  programId,
  text,
} from './check.ts';
import type { LeadFields, RefundInput, SaleFields } from './events.ts';

const MAX_EVENT_BYTES = 64 * 1024;
/** The largest `age_ms` as JSON: `,"age_ms":7776000000`. */
const AGE_BYTES = 20;
const MAX_CLOCK_ERROR_MS = 5 * 60_000;
const additionalData = jsonObject(8 * 1024);

const FIELDS: {
  readonly sale: Readonly<Record<keyof SaleFields, Check>>;
  readonly refund: Readonly<Record<keyof RefundInput, Check>>;
  readonly lead: Readonly<Record<keyof LeadFields, Check>>;
} = {
  sale: {
    transaction_id: id,
    amount_cents: amount,
    customer_key: id,
    click_id: id,
    currency,
    sale_type: oneOf('payment', 'subscription'),
    line_items: jsonObjectOrArray(48 * 1024),
    is_recurring: flag,
    subscription_id: id,
    subscription_interval: oneOf('monthly', 'quarterly', 'annual'),
    tax_cents: amountOrZero,
    shipping_cents: amountOrZero,
    product_id: id,
    occurred_at: instant,
    age_ms: age,
    processor_refs: idList(10),
    additional_data: additionalData,
  },
  refund: {
    transaction_id: id,
    refund_amount_cents: amountOrZero,
    refund_id: id,
    refund_reason: text(2000),
    occurred_at: instant,
    age_ms: age,
    additional_data: additionalData,
  },
  lead: {
    click_id: id,
    customer_key: id,
    email: text(320),
    session_id: anyText,
    page_url: anyText,
    occurred_at: instant,
    age_ms: age,
    additional_data: additionalData,
  },
};

/**
 * The known fields of `additional_data`. Any other field there belongs to the advertiser and is not
 * validated.
 */
const ADDITIONAL_DATA_FIELDS: Readonly<Record<Operation, Readonly<Record<string, Check>>>> = {
  sale: { test_mode: flag, program_id: programId },
  refund: { test_mode: flag, program_id: programId },
  lead: { test_mode: flag, program_id: programId, event_name: text(2000) },
};

/**
 * Fields where an empty string counts as absent. An empty string often comes from an empty form field or
 * database column.
 */
const ABSENT_IF_EMPTY: ReadonlySet<string> = new Set([
  'click_id',
  'customer_key',
  'transaction_id',
  'refund_id',
  'session_id',
  'product_id',
  'subscription_id',
  'program_id',
]);

/** A validated event, ready to be sent. */
export interface CheckedInput {
  /** The JSON body of the request. */
  readonly body: string;
  /** Empty if the event has no transaction id. */
  readonly transactionId: string;
  readonly isPartialRefund: boolean;
  /**
   * Whether a queued event is sent with `age_ms`. True if its `occurred_at` comes from this machine's clock, or if
   * the caller passed `age_ms`.
   */
  readonly isTimeOfCall: boolean;
}

/**
 * Validates an event and serializes it immediately, so that later changes to the caller's object have no
 * effect.
 *
 * @param queuedAtMs the default of `occurred_at`. Pass the current time if the event is queued, and undefined
 * if it is sent immediately.
 * @throws AffkitValidationError that names the invalid field
 */
export function readInput(operation: Operation, input: unknown, queuedAtMs?: number): CheckedInput {
  if (!isRecord(input)) throw validationError(`${operation} requires an object with the fields of the event`);
  const checks: Readonly<Record<string, Check>> = FIELDS[operation];
  for (const name of Object.keys(input)) {
    if (Object.hasOwn(checks, name)) continue;
    throw validationError(
      `Unknown field ${name} in a ${operation}. Valid fields: ${Object.keys(checks).join(', ')}`,
      'unknown_field',
    );
  }
  const event: Record<string, unknown> = {};
  for (const name of Object.keys(input)) {
    const value = input[name];
    if (isAbsent(name, value)) continue;
    checkField(checks[name], value, name);
    event[name] = value;
  }
  const additional = event['additional_data'];
  if (isRecord(additional)) {
    const present = withoutAbsent(additional);
    event['additional_data'] = present;
    for (const [name, check] of Object.entries(ADDITIONAL_DATA_FIELDS[operation])) {
      if (Object.hasOwn(present, name)) checkField(check, present[name], `additional_data.${name}`);
    }
  }
  requireFields(operation, event, isRecord(additional) && additional['test_mode'] === true);
  const ageMs = event['age_ms'];
  const isTimeOfCall =
    queuedAtMs !== undefined && (event['occurred_at'] === undefined || ageMs !== undefined);
  if (isTimeOfCall) {
    const timeByAge = new Date(queuedAtMs - Number(ageMs ?? 0)).toISOString();
    event['occurred_at'] ??= timeByAge;
    const time = String(event['occurred_at']);
    // `Date.parse` does not accept a zone such as `+01`, which Postgres writes.
    const timeMs = Date.parse(time) || Date.parse(`${time}:00`);
    // As on the server, the age replaces the time of a clock that is wrong. At delivery, the age is computed from
    // `occurred_at`.
    if (Math.abs(timeMs - Date.parse(timeByAge)) > MAX_CLOCK_ERROR_MS) event['occurred_at'] = timeByAge;
    delete event['age_ms'];
  }
  // A queued event gets its age only when it is sent.
  const body = serialize(event, MAX_EVENT_BYTES - (isTimeOfCall ? AGE_BYTES : 0));
  return { ...toCheckedInput(body, event), isTimeOfCall };
}

/** Reads an event that was validated before it was stored. */
export function readStoredEvent(body: string): CheckedInput {
  return toCheckedInput(body, JSON.parse(body) as Readonly<Record<string, unknown>>);
}

function toCheckedInput(body: string, event: Readonly<Record<string, unknown>>): CheckedInput {
  const { transaction_id: transactionId, refund_amount_cents: refunded } = event;
  return {
    body,
    transactionId: typeof transactionId === 'string' ? transactionId : '',
    isPartialRefund: typeof refunded === 'number' && refunded > 0,
    isTimeOfCall: false,
  };
}

function isAbsent(name: string, value: unknown): boolean {
  return value === undefined || value === null || (value === '' && ABSENT_IF_EMPTY.has(name));
}

/**
 * Removes absent fields. A caller's field may be named `__proto__`: `Object.fromEntries` copies it as a field, but
 * an assignment would set the prototype.
 */
function withoutAbsent(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([name, value]) => !isAbsent(name, value)));
}

function checkField(check: Check | undefined, value: unknown, name: string): void {
  let problem: string | undefined;
  try {
    problem = check?.(value, name);
  } catch (cause) {
    throw notSerializable(name, cause);
  }
  if (problem !== undefined) throw validationError(problem);
}

function requireFields(
  operation: Operation,
  event: Readonly<Record<string, unknown>>,
  isTest: boolean,
): void {
  if (operation !== 'lead' && !(operation === 'sale' && isTest) && event['transaction_id'] === undefined) {
    throw validationError('transaction_id is required');
  }
  if (operation === 'sale' && !isTest && event['amount_cents'] === undefined) {
    throw validationError('amount_cents is required');
  }
  const isAttributed = event['customer_key'] !== undefined || event['click_id'] !== undefined;
  if (operation !== 'refund' && !isTest && !isAttributed) {
    throw validationError('customer_key or click_id is required to identify the customer');
  }
}

function serialize(event: Readonly<Record<string, unknown>>, maxBytes: number): string {
  let body: string;
  try {
    body = JSON.stringify(event);
  } catch (cause) {
    throw notSerializable('the event', cause);
  }
  if (isWithin(body, maxBytes)) return body;
  throw validationError(`The event must be at most ${maxBytes} bytes as JSON`);
}

/** `JSON.stringify` throws on circular references and BigInt. */
function notSerializable(name: string, cause: unknown): AffkitValidationError {
  return validationError(
    `${name} cannot be serialized to JSON: ${errorSummary(cause)}`,
    'invalid_field',
    cause,
  );
}

function validationError(message: string, code = 'invalid_field', cause?: unknown): AffkitValidationError {
  return new AffkitValidationError(message, { code, cause });
}
