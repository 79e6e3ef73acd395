import { AffkitValidationError } from '../errors.ts';
import { isRecord } from '../input/check.ts';
import type { Endpoint } from './endpoint.ts';
import type { ManagementCallOptions } from './options.ts';

/** The fields of a query or of a body. */
export type Fields = Readonly<Record<string, unknown>>;

/** The arguments of a method. */
export interface CallInput {
  readonly path: string;
  readonly query: Fields;
  /** The fields of a body, or the text of a CSV file. */
  readonly body: Fields | string;
  readonly options: ManagementCallOptions;
}

/**
 * Reads the arguments of a method: the ids in the path, then the query or the body, then the options.
 *
 * @throws AffkitValidationError if an argument is missing or has the wrong type. The server validates the fields of
 * the query and the body.
 */
export function readArguments(
  operation: string,
  endpoint: Pick<Endpoint, 'route' | 'input'>,
  args: readonly unknown[],
): CallInput {
  const { path, rest } = fillPath(operation, endpoint.route, args);
  const [first, second, third] = rest;
  const fieldsOf = (value: unknown): Fields => {
    if (value === undefined) return {};
    if (isRecord(value)) return value;
    throw invalidInput(`${operation} requires its input as an object, got ${describe(value)}`);
  };
  switch (endpoint.input) {
    case 'none':
      return { path, query: {}, body: '', options: fieldsOf(first) };
    case 'query':
      return { path, query: fieldsOf(first), body: '', options: fieldsOf(second) };
    case 'body':
      return { path, query: {}, body: fieldsOf(first), options: fieldsOf(second) };
    case 'csv':
      if (typeof first !== 'string' || first === '') {
        throw invalidInput(`${operation} requires the text of a CSV file, got ${describe(first)}`);
      }
      return { path, query: fieldsOf(second), body: first, options: fieldsOf(third) };
  }
}

function fillPath(
  operation: string,
  route: string,
  args: readonly unknown[],
): { readonly path: string; readonly rest: readonly unknown[] } {
  let count = 0;
  const path = route.slice(route.indexOf('/')).replace(/:\w+/g, () => {
    const id = args[count];
    count += 1;
    if (typeof id === 'number' && Number.isSafeInteger(id) && id > 0) return String(id);
    throw invalidInput(`${operation} requires an id that is a positive integer, got ${describe(id)}`);
  });
  return { path, rest: args.slice(count) };
}

/**
 * Returns the query string with its question mark. Leaves out fields that are undefined or null. A flag that is true
 * becomes `1`. A flag that is false is left out, because some parameters accept only `1`.
 */
export function queryText(fields: Fields): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(fields)) {
    if (value === true) query.set(name, '1');
    else if (value !== undefined && value !== null && value !== false) query.set(name, String(value));
  }
  const text = query.toString();
  return text === '' ? '' : `?${text}`;
}

function invalidInput(message: string): AffkitValidationError {
  return new AffkitValidationError(message, { code: 'invalid_field' });
}

function describe(value: unknown): string {
  if (value === '') return 'an empty string';
  return typeof value === 'object' && value !== null ? 'an object' : String(value);
}
