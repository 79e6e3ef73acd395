import { z } from 'zod';
import { isCurrency } from './currency.ts';
import { type IsoTime, readIsoTime } from './iso-time.ts';

export const MAX_SUB_ID_LENGTH = 128;
/** The maximum length of an id, key or code, in UTF-16 code units. */
export const MAX_ID_LENGTH = 255;
/** The maximum length of a stored URL. Longer URLs are truncated. */
export const MAX_URL_LENGTH = 2048;
/** The maximum length of a stored title. Longer titles are truncated. */
export const MAX_TITLE_LENGTH = 512;
/**
 * The maximum length of a user agent. Longer user agents are truncated, because the time to parse them grows
 * with the length. Browsers rarely send more than 200 characters.
 */
export const MAX_USER_AGENT_LENGTH = 256;
/** The maximum length of free text. */
const MAX_FREE_TEXT_LENGTH = 2000;
/** The largest amount, in the smallest unit of a currency. */
export const MAX_AMOUNT_CENTS = 999_999_999_999;
/** The maximum number of levels in stored JSON. */
const MAX_JSON_DEPTH = 100;

const CONTROL_OR_BIDI = /[\p{Cc}\p{Bidi_Control}\u2028\u2029]/u;
/** Control, format and line separator characters, and lone surrogates. */
const NOT_PRINTABLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;
/**
 * Texts without a visible character: spaces, format characters, and the Hangul fillers, which are letters but
 * render as nothing.
 */
const NOTHING_VISIBLE = /^[\p{Cf}\p{Z}\s\u115f\u1160\u3164\uffa0]*$/u;

/**
 * For the API description: the JSON types of a field that accepts every value. A value that the field cannot use counts
 * as absent. The API page names only the first type.
 */
export const ANY_TYPE = ['string', 'number', 'boolean', 'object', 'array', 'null'] as const;
/** The condition of `isStorable` as a regular expression, for the API description. */
const STORABLE_PATTERN = '^[^\\u0000\\ud800-\\udfff]*$';
/** A text without control characters, bidirectional characters, and line separators. Surrounding spaces are allowed. */
const NAME_PATTERN =
  '^\\s*[^\\u0000-\\u001f\\u007f-\\u009f\\u061c\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u2069\\ud800-\\udfff]*\\s*$';

/** Whether every supported database can store the text: it contains neither NUL nor lone surrogates. */
export function isStorable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed();
}

/** Truncates a text to `max` UTF-16 code units without splitting a code point. */
export function cutText(text: string, max: number): string {
  if (text.length <= max) return text;
  const cut = text.slice(0, max);
  return cut.isWellFormed() || !text.isWellFormed() ? cut : cut.slice(0, -1);
}

/** An id, key or code: 1 to 255 characters without NUL or lone surrogates. */
export function idText(name: string, requiredMessage = `${name} must be a string`): z.ZodString {
  return z
    .string({ error: requiredMessage })
    .min(1, { error: requiredMessage })
    .max(MAX_ID_LENGTH, { error: `${name} must be at most ${MAX_ID_LENGTH} characters` })
    .refine(isStorable, { error: `${name} must not contain NUL or lone surrogates` })
    .meta({ pattern: STORABLE_PATTERN });
}

/**
 * A field that only describes a visit and never causes a rejection. A value of another type counts as absent,
 * and a text longer than `max` is truncated.
 */
export function lenientText(max: number): z.ZodType<string | undefined> {
  return neverRejects((value) => {
    if (value.length <= max && isStorable(value)) return value;
    return cutText(value.replaceAll('\0', '').toWellFormed(), max);
  });
}

/** Like `lenientText`, but for ids: unprintable characters are also removed. */
export function printableId(max: number): z.ZodType<string | undefined> {
  return neverRejects((value) => cutText(value.replace(NOT_PRINTABLE, ''), max) || undefined);
}

function neverRejects(read: (value: string) => string | undefined): z.ZodType<string | undefined> {
  // A click has ten of these fields. A string schema with a transform or a catch would take several times longer to
  // validate each of them.
  const text = z.transform((value: unknown) => (typeof value === 'string' ? read(value) : undefined));
  text._zod.toJSONSchema = () => ({ type: [...ANY_TYPE], items: {} });
  return text.optional() as z.ZodType<string | undefined>;
}

/**
 * Returns the start of a text, without invisible characters and characters that change the text direction.
 */
export function visibleText(text: string, max: number): string {
  return cutText(text.replaceAll(/[\p{C}\u2028\u2029]/gu, ''), max);
}

/**
 * A display name. It must not contain control or bidirectional characters, and must have a visible character.
 */
export function nameText(name: string, max: number = MAX_ID_LENGTH): z.ZodString {
  const message = `${name} must be a string of 1 to ${max} characters`;
  return z
    .string({ error: message })
    .trim()
    .min(1, { error: message })
    .max(max, { error: message })
    .refine((text) => isStorable(text) && !CONTROL_OR_BIDI.test(text), {
      error: `${name} must not contain control or bidirectional characters`,
    })
    .refine((text) => !NOTHING_VISIBLE.test(text), { error: `${name} must contain a visible character` })
    .meta({ pattern: NAME_PATTERN });
}

/** Free text of at most 2,000 characters. */
export function freeText(name: string): z.ZodString {
  const message = `${name} must be a string of at most ${MAX_FREE_TEXT_LENGTH} characters`;
  return z
    .string({ error: message })
    .max(MAX_FREE_TEXT_LENGTH, { error: message })
    .refine(isStorable, { error: `${name} must not contain NUL or lone surrogates` })
    .meta({ pattern: STORABLE_PATTERN });
}

/** An integer from `min` to `max`. */
export function integer(name: string, min: number, max: number): z.ZodNumber {
  const message = `${name} must be an integer from ${min} to ${max}`;
  return z.number({ error: message }).int({ error: message }).min(min, { error: message }).max(max, {
    error: message,
  });
}

/** A row id. */
export function rowId(name: string): z.ZodNumber {
  return integer(name, 1, Number.MAX_SAFE_INTEGER);
}

/** An ISO 4217 code. The code may be in lower case; parsing converts it to upper case. */
export const currencyCode = z
  .string({ error: 'currency must be an ISO 4217 code' })
  // Convert only ASCII letters. `toUpperCase` also maps other letters to ASCII, for example `ſ` to S.
  .transform((code) => (/^[a-z]{3}$/i.test(code) ? code.toUpperCase() : code))
  .refine(isCurrency, { error: 'currency must be an ISO 4217 code, e.g. USD' })
  .meta({ pattern: '^[A-Za-z]{3}$', examples: ['USD'] })
  .describe('ISO 4217 code, in upper or lower case.');

/** A JSON object with at most 100 levels and at most `maxBytes` bytes in serialized form. */
export function jsonObject(name: string, maxBytes: number): z.ZodType<Record<string, unknown>> {
  const object = z.record(z.string(), z.unknown(), { error: `${name} must be an object` });
  return boundedJson(object, name, maxBytes);
}

/** Like `jsonObject`, but also accepts a JSON array. */
export function jsonObjectOrArray(
  name: string,
  maxBytes: number,
): z.ZodType<Record<string, unknown> | unknown[]> {
  const either = z.union([z.record(z.string(), z.unknown()), z.array(z.unknown())], {
    error: `${name} must be an object or an array`,
  });
  return boundedJson(either, name, maxBytes);
}

function boundedJson<T>(schema: z.ZodType<T>, name: string, maxBytes: number): z.ZodType<T> {
  return schema
    .refine((value) => isShallow(value), {
      error: `${name} must be nested at most ${MAX_JSON_DEPTH} levels deep`,
      abort: true,
    })
    .refine((value) => new TextEncoder().encode(JSON.stringify(value)).length <= maxBytes, {
      error: `${name} must be at most ${maxBytes} bytes as JSON`,
    });
}

/**
 * Whether the value has at most 100 levels. The check is a loop, because recursion could overflow the stack.
 * `JSON.stringify` is recursive too, so it must run only after this check.
 */
function isShallow(value: unknown): boolean {
  let level = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_JSON_DEPTH) return false;
    level = level.flatMap((item) => (typeof item === 'object' && item !== null ? Object.values(item) : []));
  }
  return true;
}

/** An ISO 8601 date and time with a zone, such as `2026-01-31T12:00:00+01:00`. Parsing converts it to UTC. */
export function instant(name: string): z.ZodType<string, string> {
  return isoTime(`${name} must be an ISO 8601 date and time with a zone`, ({ hasZone }) => hasZone);
}

/**
 * An ISO 8601 date and time, or a date. Without a zone, a time is in UTC. A date means the start of that UTC
 * day.
 */
export function dateOrTime(name: string): z.ZodType<string, string> {
  return isoTime(`${name} must be an ISO 8601 date, or a date and time`, () => true);
}

function isoTime(error: string, accepts: (time: IsoTime) => boolean): z.ZodType<string, string> {
  return z
    .string({ error })
    .meta({ format: 'date-time' })
    .transform((text, context) => {
      const time = readIsoTime(text);
      if (time && accepts(time)) return new Date(time.at).toISOString();
      context.addIssue(error);
      return z.NEVER;
    });
}

/** The workspace that the request is for. */
export const workspaceId: z.ZodOptional<z.ZodNumber> = rowId('workspace_id')
  .describe('Id of the workspace. Optional for callers with one workspace.')
  .optional();
