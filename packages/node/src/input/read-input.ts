import { AffkitValidationError } from '../errors.ts';
import { reasonOf } from '../redact.ts';
import type { Operation } from '../retry.ts';
import {
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
  oneOf,
  programId,
  text,
} from './check.ts';
import type { LeadInput, RefundInput, SaleInput } from './events.ts';

const MAX_BODY_BYTES = 64 * 1024;
const additionalData = jsonObject(8 * 1024);

const FIELDS: {
  readonly sale: Readonly<Record<keyof SaleInput, Check>>;
  readonly refund: Readonly<Record<keyof RefundInput, Check>>;
  readonly lead: Readonly<Record<keyof LeadInput, Check>>;
} = {
  sale: {
    transaction_id: id,
    amount_cents: amount,
    customer_key: id,
    click_id: id,
    currency,
    sale_type: oneOf('payment', 'subscription'),
    line_items: jsonObject(48 * 1024),
    is_recurring: flag,
    subscription_id: id,
    subscription_interval: oneOf('monthly', 'quarterly', 'annual'),
    product_id: id,
    occurred_at: instant,
    processor_refs: idList(10),
    additional_data: additionalData,
  },
  refund: {
    transaction_id: id,
    refund_amount_cents: amountOrZero,
    refund_reason: text(2000),
    occurred_at: instant,
    additional_data: additionalData,
  },
  lead: {
    click_id: id,
    customer_key: id,
    email: text(320),
    session_id: anyText,
    page_url: anyText,
    occurred_at: instant,
    additional_data: additionalData,
  },
};

/** Inside `additional_data`; other names in it are the advertiser's own. */
const ADDITIONAL_FIELDS: Readonly<Record<Operation, Readonly<Record<string, Check>>>> = {
  sale: { test_mode: flag, program_id: programId },
  refund: { test_mode: flag, program_id: programId },
  lead: { test_mode: flag, program_id: programId, event_name: text(2000) },
};

/** An empty text there is the same as none: the form field or column was empty. */
const IDS: ReadonlySet<string> = new Set([
  'click_id',
  'customer_key',
  'transaction_id',
  'session_id',
  'product_id',
  'subscription_id',
  'program_id',
]);

/** An event that passed the checks, as it goes over the wire. */
export interface CheckedInput {
  readonly body: string;
  /** Empty where the server is to make one. */
  readonly transactionId: string;
  readonly isPartialRefund: boolean;
}

/**
 * Checks an event and serialises it at once, so that what the caller does to the object later changes nothing.
 * Throws an `AffkitValidationError` that names the field. `occurred_at` is `now` where it isn't given.
 */
export function readInput(operation: Operation, input: unknown, nowMs: number): CheckedInput {
  if (!isRecord(input)) throw refused(`${operation} takes an object`);
  const checks: Readonly<Record<string, Check>> = FIELDS[operation];
  for (const name of Object.keys(input)) {
    if (Object.hasOwn(checks, name)) continue;
    throw refused(
      `${name} is no field of a ${operation}: there are ${Object.keys(checks).join(', ')}`,
      'unknown_field',
    );
  }
  const event: Record<string, unknown> = { occurred_at: new Date(nowMs).toISOString() };
  for (const name of Object.keys(input)) {
    const value = input[name];
    if (isAbsent(name, value)) continue;
    checkField(checks[name], value, name);
    event[name] = value;
  }
  const more = event['additional_data'];
  if (isRecord(more)) {
    const present = withoutAbsent(more);
    event['additional_data'] = present;
    for (const [name, check] of Object.entries(ADDITIONAL_FIELDS[operation])) {
      if (Object.hasOwn(present, name)) checkField(check, present[name], `additional_data.${name}`);
    }
  }
  requireFields(operation, event, isRecord(more) && more['test_mode'] === true);
  return factsOf(serialise(event), event);
}

/** An event that was checked before it was kept. */
export function readEvent(body: string): CheckedInput {
  return factsOf(body, JSON.parse(body) as Readonly<Record<string, unknown>>);
}

function factsOf(body: string, event: Readonly<Record<string, unknown>>): CheckedInput {
  const { transaction_id: transactionId, refund_amount_cents: refunded } = event;
  return {
    body,
    transactionId: typeof transactionId === 'string' ? transactionId : '',
    isPartialRefund: typeof refunded === 'number' && refunded > 0,
  };
}

function isAbsent(name: string, value: unknown): boolean {
  return value === undefined || value === null || (value === '' && IDS.has(name));
}

/** By `fromEntries`, which sets no prototype: the names are the caller's. */
function withoutAbsent(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([name, value]) => !isAbsent(name, value)));
}

function checkField(check: Check | undefined, value: unknown, name: string): void {
  let problem: string | undefined;
  try {
    problem = check?.(value, name);
  } catch (cause) {
    throw unwritable(name, cause);
  }
  if (problem !== undefined) throw refused(problem);
}

function requireFields(
  operation: Operation,
  event: Readonly<Record<string, unknown>>,
  isTest: boolean,
): void {
  if (operation !== 'lead' && !(operation === 'sale' && isTest) && event['transaction_id'] === undefined) {
    throw refused('transaction_id is required');
  }
  if (operation === 'sale' && !isTest && event['amount_cents'] === undefined) {
    throw refused('amount_cents is required');
  }
  const isAttributed = event['customer_key'] !== undefined || event['click_id'] !== undefined;
  if (operation !== 'refund' && !isTest && !isAttributed) {
    throw refused('customer_key or click_id is required: without one the event belongs to no customer');
  }
}

function serialise(event: Readonly<Record<string, unknown>>): string {
  let body: string;
  try {
    body = JSON.stringify(event);
  } catch (cause) {
    throw unwritable('the event', cause);
  }
  if (isWithin(body, MAX_BODY_BYTES)) return body;
  throw refused(`The event must be at most ${MAX_BODY_BYTES} bytes as JSON`);
}

/** JSON.stringify throws on cycles and on BigInt. */
function unwritable(name: string, cause: unknown): AffkitValidationError {
  return refused(`${name} can't be written as JSON: ${reasonOf(cause)}`, 'invalid_field', cause);
}

function refused(message: string, code = 'invalid_field', cause?: unknown): AffkitValidationError {
  return new AffkitValidationError(message, { code, cause });
}
