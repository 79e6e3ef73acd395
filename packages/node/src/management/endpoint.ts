import type { List } from './list.ts';
import type { Operations } from './operations.ts';
import type { ManagementCallOptions } from './options.ts';

/** A management route: `METHOD /path`, as in the API documentation. */
export type Route = keyof Operations;

type QueryOf<R extends Route> = Operations[R] extends { query: infer Query } ? Query : never;
type ReplyOf<R extends Route> = Operations[R]['reply'];
type RoutesWith<Part> = { [R in Route]: Operations[R] extends Part ? R : never }[Route];

type ListRoute = RoutesWith<{ reply: { data: readonly unknown[]; meta: { pagination: object } } }>;
type CsvRoute = RoutesWith<{ reply: ReadableStream<Uint8Array> }>;
type DataRoute = RoutesWith<{ reply: { data: unknown } }>;
type KeyedRoute = RoutesWith<{ body: { idempotency_key?: unknown } }>;

/**
 * What a method returns: a `List` of rows (`list`), the field `data` of the reply (`data`), the whole reply
 * (`reply`), no value (`nothing`), or a stream (`csv`).
 */
type Kind = 'list' | 'data' | 'reply' | 'nothing' | 'csv';

/**
 * Whether a request may be sent again after a failure. `yes`: a repeat changes nothing. `with_key`: its
 * `idempotency_key` prevents a second effect. `no`: it could take effect twice, or its reply shows a secret
 * only once.
 */
type Repeats = 'yes' | 'with_key' | 'no';

/** The route behind a method of the client. */
export interface Endpoint<R extends Route = Route, K extends Kind = Kind> {
  readonly route: R;
  readonly kind: K;
  readonly input: 'none' | 'query' | 'body' | 'csv';
  readonly repeats: Repeats;
  /** The field of the body that holds the rows. If one request cannot hold all rows, several requests are sent. */
  readonly splits?: 'ids' | 'items';
}

type InputKind<R extends Route> = Operations[R] extends { csv: string }
  ? 'csv'
  : Operations[R] extends { body: unknown }
    ? 'body'
    : Operations[R] extends { query: unknown }
      ? 'query'
      : 'none';

/** A GET route that lists rows page by page. */
export function list<R extends ListRoute>(route: R): Endpoint<R, 'list'> {
  return { route, kind: 'list', input: 'query', repeats: 'yes' };
}

/** A GET route that streams a CSV file. */
export function csv<R extends CsvRoute>(route: R): Endpoint<R, 'csv'> {
  return { route, kind: 'csv', input: 'query', repeats: 'yes' };
}

/** A route whose method returns the field `data` of the reply. */
export function data<R extends DataRoute>(
  route: R,
  input: InputKind<R>,
  repeats: Repeats = repeatsOf(route),
): Endpoint<R, 'data'> {
  return { route, kind: 'data', input, repeats };
}

/** A route whose method returns the whole reply, because callers need more than `data`. */
export function reply<R extends DataRoute>(
  route: R,
  input: InputKind<R>,
  repeats: Repeats = repeatsOf(route),
): Endpoint<R, 'reply'> {
  return { route, kind: 'reply', input, repeats };
}

/** A route with an `idempotency_key`, which the client fills in if the caller does not. */
export function keyed<R extends KeyedRoute & DataRoute>(route: R): Endpoint<R, 'data'> {
  return { route, kind: 'data', input: 'body', repeats: 'with_key' };
}

/** A route that changes many rows, returns a result for each row, and accepts an `idempotency_key`. */
export function bulk<R extends KeyedRoute & DataRoute>(
  route: R,
  splits: 'ids' | 'items',
): Endpoint<R, 'reply'> {
  return { route, kind: 'reply', input: 'body', repeats: 'with_key', splits };
}

/** A DELETE route without data in its reply. */
export function nothing<R extends Exclude<Route, DataRoute | CsvRoute>>(route: R): Endpoint<R, 'nothing'> {
  return { route, kind: 'nothing', input: 'none', repeats: 'yes' };
}

/** GET, PUT and DELETE are idempotent in HTTP. Only POST may take effect twice. */
function repeatsOf(route: Route): Repeats {
  return route.startsWith('POST ') ? 'no' : 'yes';
}

/** The ids in a path, in their order. */
type Ids<Path extends string> = Path extends `${string}/:${infer Rest}` ? [id: number, ...Ids<Rest>] : [];

type WithoutFirst<Ids extends unknown[]> = Ids extends [unknown, ...infer Rest] ? Rest : [];

/**
 * The id parameters of a method. Methods of a program's resources omit the program id, which the client adds.
 */
type IdsOf<R extends Route, IsOfProgram extends boolean> = IsOfProgram extends true
  ? WithoutFirst<Ids<R>>
  : Ids<R>;

/** The parameters of a method after the ids, without the call options. */
type Input<R extends Route> = Operations[R] extends { csv: string }
  ? [csv: string, query?: QueryOf<R>]
  : Operations[R] extends { body: infer Body }
    ? OptionalIfEmpty<Body>
    : Operations[R] extends { query: infer Query }
      ? OptionalIfEmpty<Query>
      : [];

type OptionalIfEmpty<T> = Record<never, never> extends T ? [input?: T] : [input: T];

type Result<R extends Route, K extends Kind> = {
  list: ReplyOf<R> extends { data: Array<infer Row> } ? List<Row> : never;
  data: ReplyOf<R> extends { data: infer Data } ? Promise<Data> : never;
  reply: Promise<ReplyOf<R>>;
  nothing: Promise<void>;
  csv: Promise<ReadableStream<Uint8Array> & AsyncIterable<Uint8Array>>;
}[K];

type Method<E, IsOfProgram extends boolean> =
  E extends Endpoint<infer R, infer K>
    ? (...args: [...IdsOf<R, IsOfProgram>, ...Input<R>, options?: ManagementCallOptions]) => Result<R, K>
    : never;

/** The resources of a client, with a method for each endpoint. */
export type Resources<Table, IsOfProgram extends boolean> = {
  readonly [Name in keyof Table]: {
    readonly [M in keyof Table[Name]]: Method<Table[Name][M], IsOfProgram>;
  };
};
