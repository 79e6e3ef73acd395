import { codeOfMessage, parseRowId, withoutAbsent } from '@affkit/protocol';
import { z } from 'zod';
import { Rejection } from '../rejection.ts';
import type { BodyFields, PathIds } from './route.ts';

const UTF8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Returns the value that the schema returns, or a rejection for the first invalid field, in the order of the
 * schema's fields.
 */
export function parse<S extends z.ZodType>(schema: S, value: unknown): z.output<S> | Rejection {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const message = parsed.error.issues[0]?.message ?? 'Invalid request';
  return new Rejection(codeOfMessage(message), message);
}

/** The row ids in a path. A segment that is not a row id cannot match a row, hence `not_found`. */
export function parsePathIds(params: Readonly<Record<string, string>>): PathIds | Rejection {
  const ids: Record<string, number> = {};
  for (const [name, text] of Object.entries(params)) {
    const id = parseRowId(text);
    if (id === null) return new Rejection('not_found');
    ids[name] = id;
  }
  return ids;
}

/** The values of each query parameter, by name. */
export function queryFields(query: URLSearchParams): Record<string, string[]> {
  const pairs = Map.groupBy(query, ([name]) => name);
  return Object.fromEntries([...pairs].map(([name, entries]) => [name, entries.map(([, value]) => value)]));
}

/** The fields of a JSON body. A field with `null` is removed, unless its schema accepts null. */
export function parseFields(bytes: Uint8Array | 'too_large', schema: unknown): BodyFields | Rejection {
  if (bytes === 'too_large') return new Rejection('body_too_large');
  if (bytes.length === 0) return {};
  try {
    const body: unknown = JSON.parse(UTF8.decode(bytes));
    return Object.assign(withoutAbsent(body), nullsOf(body, schema));
  } catch {
    return new Rejection('invalid_json');
  }
}

function nullsOf(body: unknown, schema: unknown): Record<string, null> {
  if (!(schema instanceof z.ZodObject) || typeof body !== 'object' || body === null) return {};
  const nulls = Object.entries(body).filter(
    ([name, value]) =>
      value === null && Object.hasOwn(schema.shape, name) && schema.shape[name].safeParse(null).success,
  );
  return Object.fromEntries(nulls);
}
