import { isCurrency } from './currency.ts';

/** What is wrong with a value that is there, as a sentence that names the field; undefined where nothing is. */
export type Check = (value: unknown, name: string) => string | undefined;

const MAX_ID_LENGTH = 255;
const MAX_AMOUNT_CENTS = 999_999_999_999;
const MAX_JSON_DEPTH = 100;
const INSTANT =
  /^(\d{4})-(\d\d)-(\d\d)T(?:(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d+)?)?|24:00(?::00(?:\.0+)?)?)(?:Z|[+-](?:[01]\d|2[0-3])(?::?[0-5]\d)?)$/;
const encoder = new TextEncoder();

/** A text of at most `max` UTF-16 units that the server can store. */
export const text =
  (max: number): Check =>
  (value, name) => {
    if (typeof value !== 'string') return `${name} must be a string`;
    if (value.length > max) return `${name} must be at most ${max} characters`;
    return value.includes('\0') || !value.isWellFormed()
      ? `${name} must not contain NUL or lone surrogates`
      : undefined;
  };

/** A text of any length and content: the server cuts it and takes out what it can't store. */
export const anyText: Check = (value, name) =>
  typeof value === 'string' ? undefined : `${name} must be a string`;

/** An id, key or code. */
export const id: Check = (value, name) =>
  value === '' ? `${name} must not be empty` : text(MAX_ID_LENGTH)(value, name);

/** An amount in the smallest unit of the currency: 1050 is 10.50 in USD. */
export const amount: Check = (value, name) => {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value > 0) {
    return value <= MAX_AMOUNT_CENTS ? undefined : `${name} must be at most ${MAX_AMOUNT_CENTS}`;
  }
  return `${name} must be a positive integer in the smallest unit of the currency`;
};

/** The same, where 0 has a meaning. */
export const amountOrZero: Check = (value, name) =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
    ? undefined
    : `${name} must be a positive integer in the smallest unit of the currency, or 0 for all of it`;

export const flag: Check = (value, name) =>
  typeof value === 'boolean' ? undefined : `${name} must be a boolean`;

export const currency: Check = (value, name) =>
  typeof value === 'string' && isCurrency(value) ? undefined : `${name} must be an ISO 4217 code, e.g. USD`;

export const oneOf =
  (...choices: readonly string[]): Check =>
  (value, name) =>
    typeof value === 'string' && choices.includes(value)
      ? undefined
      : `${name} must be ${choices.join(' or ')}`;

/** An instant in ISO 8601 with a zone, on a day that exists. */
export const instant: Check = (value, name) => {
  const [, year, month, day] = (typeof value === 'string' ? INSTANT.exec(value) : null) ?? [];
  const date = new Date(0);
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  // A day that the month doesn't have falls into another one.
  return date.getUTCMonth() === Number(month) - 1
    ? undefined
    : `${name} must be an ISO 8601 date and time with a zone, e.g. 2026-01-31T12:00:00Z`;
};

export const idList =
  (max: number): Check =>
  (value, name) => {
    if (!Array.isArray(value)) return `${name} must be a list of strings`;
    if (value.length > max) return `${name} must have at most ${max} entries`;
    for (const entry of value) {
      const problem = id(entry, `each of ${name}`);
      if (problem !== undefined) return problem;
    }
    return undefined;
  };

/** An object of at most `maxBytes` and 100 levels as JSON. Throws what `JSON.stringify` throws. */
export const jsonObject =
  (maxBytes: number): Check =>
  (value, name) => {
    // Judged as it will arrive: a Date or a `toJSON` becomes something else, or nothing.
    const json = isRecord(value) ? JSON.stringify(value) : undefined;
    if (json?.startsWith('{') !== true) return `${name} must be an object`;
    if (!isShallow(json)) return `${name} must be nested at most ${MAX_JSON_DEPTH} levels deep`;
    return isWithin(json, maxBytes) ? undefined : `${name} must be at most ${maxBytes} bytes as JSON`;
  };

function isShallow(json: string): boolean {
  // A level takes two characters, so that most need no closer look.
  if (json.length <= 2 * MAX_JSON_DEPTH) return true;
  let level: unknown[] = [JSON.parse(json)];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > MAX_JSON_DEPTH) return false;
    level = level.flatMap((item) => (typeof item === 'object' && item !== null ? Object.values(item) : []));
  }
  return true;
}

/** An id of a program: a number, or the same in digits. */
export const programId: Check = (value, name) => {
  const isId =
    (typeof value === 'number' && Number.isSafeInteger(value) && value > 0) ||
    (typeof value === 'string' && /^\d{1,15}$/.test(value));
  return isId ? undefined : `${name} must be a program id`;
};

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Is it at most so many bytes? Three are the most that a character of a text takes. */
export function isWithin(json: string, maxBytes: number): boolean {
  return json.length * 3 <= maxBytes || byteLength(json) <= maxBytes;
}

export function byteLength(json: string): number {
  return encoder.encode(json).length;
}
