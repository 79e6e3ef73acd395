import { z } from 'zod';
import { isCurrency } from './currency.ts';
import { type IsoTime, readIsoTime } from './iso-time.ts';

/** Longest id, key or code, in UTF-16 units. */
export const MAX_ID_LENGTH = 255;
/** Longest stored URL; longer ones are cut. */
export const MAX_URL_LENGTH = 2048;
/** Longest stored title; longer ones are cut. */
export const MAX_TITLE_LENGTH = 512;
/** Longest free text. */
const MAX_TEXT_LENGTH = 2000;
/** Largest amount in the smallest unit of a currency. */
export const MAX_AMOUNT_CENTS = 999_999_999_999;
/** Deepest JSON that is stored. */
const MAX_JSON_DEPTH = 100;

const CONTROL_OR_BIDI = /[\p{Cc}\p{Bidi_Control}\u2028\u2029]/u;
/** Besides spaces and format characters, the Hangul fillers show nothing. */
const NOTHING_VISIBLE = /^[\p{Cf}\p{Z}\s\u115f\u1160\u3164\uffa0]*$/u;

/** Can every engine store the text? NUL and lone surrogates are refused. */
export function isStorable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed();
}

/** Cuts a text to `max` UTF-16 units without splitting a code point. */
export function cutText(text: string, max: number): string {
  if (text.length <= max) return text;
  const cut = text.slice(0, max);
  return cut.isWellFormed() || !text.isWellFormed() ? cut : cut.slice(0, -1);
}

/** An id, key or code: 1 to 255 characters that both engines can store. */
export function idText(name: string, requiredMessage = `${name} must be a string`): z.ZodString {
  return z
    .string({ error: requiredMessage })
    .min(1, { error: requiredMessage })
    .max(MAX_ID_LENGTH, { error: `${name} must be at most ${MAX_ID_LENGTH} characters` })
    .refine(isStorable, { error: `${name} must not contain NUL or lone surrogates` });
}

/** A field that only describes a visit: a wrong type counts as absent, a long text is cut; it never refuses. */
export function descriptive(max: number): z.ZodType<string | undefined> {
  const describe = (value: unknown) => {
    if (typeof value !== 'string') return undefined;
    if (value.length <= max && isStorable(value)) return value;
    return cutText(value.replaceAll('\0', '').toWellFormed(), max);
  };
  // Clicks have ten of these: a string that is transformed, or caught, takes several times as long.
  const text = z.transform(describe);
  text._zod.toJSONSchema = () => ({ type: 'string' });
  return text.optional() as z.ZodType<string | undefined>;
}

/** The beginning of a text, without what shows nothing or changes the order of what is shown. */
export function visibleText(text: string, max: number): string {
  return cutText(text.replaceAll(/[\p{C}\u2028\u2029]/gu, ''), max);
}

/** A name that people read: no control or bidirectional characters, and something to see. */
export function nameText(name: string, max: number = MAX_ID_LENGTH): z.ZodString {
  const message = `${name} must be a text of 1 to ${max} characters`;
  return z
    .string({ error: message })
    .trim()
    .min(1, { error: message })
    .max(max, { error: message })
    .refine((text) => isStorable(text) && !CONTROL_OR_BIDI.test(text), {
      error: `${name} must not contain control or bidirectional characters`,
    })
    .refine((text) => !NOTHING_VISIBLE.test(text), { error: `${name} must contain a visible character` });
}

/** Free text of at most 2,000 characters. */
export function freeText(name: string): z.ZodString {
  const message = `${name} must be a text of at most ${MAX_TEXT_LENGTH} characters`;
  return z
    .string({ error: message })
    .max(MAX_TEXT_LENGTH, { error: message })
    .refine(isStorable, { error: `${name} must not contain NUL or lone surrogates` });
}

/** A whole number from `min` to `max`. */
export function wholeNumber(name: string, min: number, max: number): z.ZodNumber {
  const message = `${name} must be an integer from ${min} to ${max}`;
  return z.number({ error: message }).int({ error: message }).min(min, { error: message }).max(max, {
    error: message,
  });
}

/** The id of a row. */
export function rowId(name: string): z.ZodNumber {
  return wholeNumber(name, 1, Number.MAX_SAFE_INTEGER);
}

/** A currency, in letters of either case. */
export const currencyCode = z
  .string({ error: 'currency must be an ISO 4217 code' })
  // Of ASCII alone: other letters have capitals there too (`ſ` is an S).
  .transform((code) => (/^[a-z]{3}$/i.test(code) ? code.toUpperCase() : code))
  .refine(isCurrency, { error: 'currency must be an ISO 4217 code, e.g. USD' });

/** A JSON object of at most 100 levels, and of at most `maxBytes` when serialised. */
export function jsonObject(name: string, maxBytes: number): z.ZodType<Record<string, unknown>> {
  return z
    .record(z.string(), z.unknown(), { error: `${name} must be an object` })
    .refine((value) => isShallow(value), {
      error: `${name} must be nested at most ${MAX_JSON_DEPTH} levels deep`,
      abort: true,
    })
    .refine((value) => new TextEncoder().encode(JSON.stringify(value)).length <= maxBytes, {
      error: `${name} must be at most ${maxBytes} bytes as JSON`,
    });
}

/** Level by level, for whatever calls itself for each level ends the stack: `JSON.stringify` does. */
function isShallow(value: unknown): boolean {
  let level = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_JSON_DEPTH) return false;
    level = level.flatMap((item) => (typeof item === 'object' && item !== null ? Object.values(item) : []));
  }
  return true;
}

/** An instant in ISO 8601 with a zone, e.g. `2026-01-31T12:00:00Z`; after parsing it is in UTC. */
export function instant(name: string): z.ZodType<string, string> {
  return isoTime(`${name} must be an ISO 8601 date and time with a zone`, ({ hasZone }) => hasZone);
}

/** A date and time in ISO 8601, without a zone in UTC, or a date, which is the beginning of its UTC day. */
export function moment(name: string): z.ZodType<string, string> {
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
