import { isCurrency } from './currency.ts';

/**
 * Validates a field that is present. Returns an error message that names the field, or undefined if the value is
 * valid.
 */
export type Check = (value: unknown, name: string) => string | undefined;

const MAX_ID_LENGTH = 255;
const MAX_AMOUNT_CENTS = 999_999_999_999;
const MAX_AGE_MS = 90 * 86_400_000;
const MAX_JSON_DEPTH = 100;
const INSTANT =
  /^(\d{4})-(\d\d)-(\d\d)T(?:(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d+)?)?|24:00(?::00(?:\.0+)?)?)(?:Z|[+-](?:[01]\d|2[0-3])(?::?[0-5]\d)?)$/;

/**
 * Formats an invalid value for an error message. Shows at most 40 characters of a string, and only the type of an
 * object.
 */
function got(value: unknown): string {
  if (typeof value === 'string') return `, got ${JSON.stringify(value.slice(0, 40))}`;
  return `, got ${value === null || typeof value === 'object' ? typeOf(value) : String(value)}`;
}

/** The type of a value. Errors about fields that may hold personal data show it instead of the value. */
function typeOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

/** A string of at most `max` UTF-16 code units that the server can store. */
export const text =
  (max: number): Check =>
  (value, name) => {
    if (typeof value !== 'string') return `${name} must be a string, got ${typeOf(value)}`;
    if (value.length > max) return `${name} must be at most ${max} characters, got ${value.length}`;
    return value.includes('\0') || !value.isWellFormed()
      ? `${name} must not contain NUL or lone surrogates`
      : undefined;
  };

/**
 * A string of any length and content. The server truncates it and removes characters that it cannot store.
 */
export const anyText: Check = (value, name) =>
  typeof value === 'string' ? undefined : `${name} must be a string, got ${typeOf(value)}`;

/** An id, key or code. */
export const id: Check = (value, name) =>
  value === '' ? `${name} must not be empty` : text(MAX_ID_LENGTH)(value, name);

/** An amount in the smallest unit of the currency: 1050 is 10.50 in USD. */
export const amount: Check = (value, name) => {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value > 0) {
    return value <= MAX_AMOUNT_CENTS ? undefined : `${name} must be at most ${MAX_AMOUNT_CENTS}${got(value)}`;
  }
  return `${name} must be a positive integer in the smallest unit of the currency${got(value)}`;
};

/** A refund amount in the smallest unit of the currency. 0 refunds the rest of the sale. */
export const amountOrZero: Check = (value, name) =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
    ? undefined
    : `${name} must be a positive integer in the smallest unit of the currency, or 0 for a full refund${got(value)}`;

/** The age of an event when it is sent, in milliseconds. */
export const age: Check = (value, name) =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 && value <= MAX_AGE_MS
    ? undefined
    : `${name} must be an integer from 0 to ${MAX_AGE_MS}${got(value)}`;

export const flag: Check = (value, name) =>
  typeof value === 'boolean' ? undefined : `${name} must be a boolean${got(value)}`;

export const currency: Check = (value, name) =>
  typeof value === 'string' && isCurrency(value)
    ? undefined
    : `${name} must be an ISO 4217 code such as USD${got(value)}`;

export const oneOf =
  (...choices: readonly string[]): Check =>
  (value, name) =>
    typeof value === 'string' && choices.includes(value)
      ? undefined
      : `${name} must be ${choices.join(' or ')}${got(value)}`;

/** An ISO 8601 date and time with a time zone, on a day that exists. */
export const instant: Check = (value, name) => {
  const [, year, month, day] = (typeof value === 'string' ? INSTANT.exec(value) : null) ?? [];
  const date = new Date(0);
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  // A day that the month does not have, e.g. February 30, rolls over into the next month.
  return date.getUTCMonth() === Number(month) - 1
    ? undefined
    : `${name} must be an ISO 8601 date and time with a time zone such as 2026-01-31T12:00:00Z${got(value)}`;
};

export const idList =
  (max: number): Check =>
  (value, name) => {
    if (!Array.isArray(value)) return `${name} must be an array of strings, got ${typeOf(value)}`;
    if (value.length > max) return `${name} must have at most ${max} entries, got ${value.length}`;
    for (const entry of value) {
      const problem = id(entry, `each of ${name}`);
      if (problem !== undefined) return problem;
    }
    return undefined;
  };

/**
 * An object whose JSON has at most `maxBytes` bytes and 100 levels. Does not catch errors of
 * `JSON.stringify`.
 */
export const jsonObject =
  (maxBytes: number): Check =>
  (value, name) => {
    // Check the serialized form: a Date or an object with `toJSON` may serialize to a string or to nothing.
    const json = isRecord(value) ? JSON.stringify(value) : undefined;
    if (json?.startsWith('{') !== true) return `${name} must be a plain object`;
    return checkJson(json, name, maxBytes);
  };

/** Like `jsonObject`, but also accepts an array. */
export const jsonObjectOrArray =
  (maxBytes: number): Check =>
  (value, name) => {
    const json = typeof value === 'object' ? JSON.stringify(value) : undefined;
    if (json === undefined || !/^[[{]/.test(json)) return `${name} must be a plain object or an array`;
    return checkJson(json, name, maxBytes);
  };

function checkJson(json: string, name: string, maxBytes: number): string | undefined {
  if (!isShallow(json)) return `${name} must be nested at most ${MAX_JSON_DEPTH} levels deep`;
  return isWithin(json, maxBytes) ? undefined : `${name} must be at most ${maxBytes} bytes as JSON`;
}

function isShallow(json: string): boolean {
  // Each level of nesting takes at least two characters, so short texts need no parsing.
  if (json.length <= 2 * MAX_JSON_DEPTH) return true;
  let level: unknown[] = [JSON.parse(json)];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > MAX_JSON_DEPTH) return false;
    level = level.flatMap((item) => (typeof item === 'object' && item !== null ? Object.values(item) : []));
  }
  return true;
}

/** A program id, as a number or as a string of digits. */
export const programId: Check = (value, name) => {
  const isId =
    (typeof value === 'number' && Number.isSafeInteger(value) && value > 0) ||
    (typeof value === 'string' && /^\d{1,15}$/.test(value));
  return isId ? undefined : `${name} must be a program id such as 7${got(value)}`;
};

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Parses JSON. Returns undefined if the text is missing or not a JSON object. */
export function parseObject(json: string | undefined): Record<string, unknown> | undefined {
  try {
    // `JSON.parse` rejects undefined too.
    const value: unknown = JSON.parse(json as string);
    if (isRecord(value)) return value;
  } catch {}
  return undefined;
}

/** Whether the text has at most `maxBytes` bytes in UTF-8. A UTF-16 code unit takes at most three bytes. */
export function isWithin(json: string, maxBytes: number): boolean {
  return json.length * 3 <= maxBytes || byteLength(json) <= maxBytes;
}

export function byteLength(json: string): number {
  return new TextEncoder().encode(json).length;
}
