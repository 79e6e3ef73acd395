import { codeOfMessage, parseRowId, withoutAbsent } from '@affkit/protocol';
import { z } from 'zod';
import { Rejection } from '../rejection.ts';
import type { BodyFields } from './route.ts';

const SLUG = /^[a-z0-9-]{1,64}$/;
const UTF8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Parses a value with a schema. If the value is not valid, returns a rejection. If the schema forbids unknown
 * fields and the value has some, the rejection names them. Otherwise, it names the first invalid field in the
 * order of the schema.
 */
export function parse<S extends z.ZodType>(schema: S, value: unknown): z.output<S> | Rejection {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const { issues } = parsed.error;
  const issue = issues.find(({ code }) => code === 'unrecognized_keys') ?? issues[0];
  const message = issue?.message ?? 'Invalid request';
  return new Rejection(codeOfMessage(message), message);
}

/**
 * Parses the row ids and the slug in a path. If a value has the wrong form, it cannot match a row, so the
 * result is `not_found` or `program_not_found`.
 */
export function parsePathParams(
  params: Readonly<Record<string, string>>,
): Readonly<Record<string, number | string>> | Rejection {
  const values: Record<string, number | string> = {};
  for (const [name, text] of Object.entries(params)) {
    if (name === 'slug' && !SLUG.test(text)) return new Rejection('program_not_found');
    const value = name === 'slug' ? text : parseRowId(text);
    if (value === null) return new Rejection('not_found');
    values[name] = value;
  }
  return values;
}

/** Returns all values of each query parameter, by name. */
export function queryFields(query: URLSearchParams): Record<string, string[]> {
  const pairs = Map.groupBy(query, ([name]) => name);
  return Object.fromEntries([...pairs].map(([name, entries]) => [name, entries.map(([, value]) => value)]));
}

/**
 * Parses the fields of a JSON body. A field with the value `null` counts as absent and is removed. There are two
 * exceptions: fields whose schema accepts null, and unknown fields of a schema that forbids them.
 */
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
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return {};
  const objectSchemas = objectSchemasOf(schema);
  const nulls = Object.entries(body).filter(
    ([name, value]) =>
      value === null && objectSchemas.some((objectSchema) => schemaKeepsNull(objectSchema, name)),
  );
  return Object.fromEntries(nulls);
}

function objectSchemasOf(schema: unknown): readonly z.ZodObject[] {
  if (schema instanceof z.ZodObject) return [schema];
  return schema instanceof z.ZodDiscriminatedUnion ? schema.options.flatMap(objectSchemasOf) : [];
}

function schemaKeepsNull({ shape, def }: z.ZodObject, name: string): boolean {
  if (Object.hasOwn(shape, name)) return shape[name].safeParse(null).success;
  return def.catchall instanceof z.ZodNever;
}
