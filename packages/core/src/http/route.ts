import type { z } from 'zod';
import type { Access, CallerOf } from '../access/access.ts';
import { isRejection, Rejection } from '../rejection.ts';
import type { Runtime } from '../runtime.ts';
import type { TrackingRouteName } from '../tracking/refusal-log.ts';
import type { Limiters } from './concurrency-limiter.ts';
import type { HttpRequest } from './message.ts';

/** The default of `Route.maxBodyBytes`. */
export const MAX_ROUTE_BODY_BYTES: number = 64 * 1024;

/** The fields of a JSON body before validation. `withoutAbsent` has already removed fields that count as absent. */
export type BodyFields = Readonly<Record<string, unknown>>;

/**
 * The schema of a request body. With `parsedByHandler`, the schema is used only for documentation, and the
 * handler receives the unvalidated `BodyFields`.
 */
export type BodySchema = z.ZodType | { readonly parsedByHandler: z.ZodType };

type BodyOf<B extends BodySchema> = B extends z.ZodType ? z.output<B> : BodyFields;

/** The names of a path's parameters. In the path, they are written as `:name`. */
type ParamNames<Path extends string> = Path extends `${string}/:${infer Rest}`
  ? Rest extends `${infer Name}/${infer Tail}`
    ? Name | ParamNames<`/${Tail}`>
    : Rest
  : never;

/** The values of a path's parameters: text for `:slug`, row ids for all others. */
type PathParams<Path extends string = string> = {
  readonly [Name in ParamNames<Path>]: Name extends 'slug' ? string : number;
};

/** The arguments of a handler, except the runtime. */
export interface Call<
  A extends Access = Access,
  Params = unknown,
  Query = unknown,
  Body = BodyFields,
  Resource = unknown,
> {
  readonly request: HttpRequest;
  readonly requestId: string;
  readonly caller: CallerOf<A>;
  readonly params: Params;
  /** The value that the route's `authorize` returned. */
  readonly resource: Resource;
  readonly query: Query;
  readonly body: Body;
  /**
   * Returns the body of a `readsBytes` route. Must be called at most once. On a public route, it reads the body. On all
   * other routes, the body has been read before, so that `caller` is current.
   * @returns `'too_large'` if the body exceeds `limit` bytes, or `maxBodyBytes` if the route is not public
   */
  readonly readBytes: HttpRequest['body'];
}

/** The first argument of `onRejected`: the request that was rejected. */
export interface RejectedCall extends Pick<Call, 'requestId' | 'caller'> {
  /** Empty when the body could not be read. */
  readonly body: BodyFields;
}

/** The result of a handler that did not reject the request. */
export interface Reply {
  /** @default 200 */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** The values of `Set-Cookie` headers. @default none */
  readonly cookies?: readonly string[];
  readonly body: unknown;
}

/** Returns a reply with the row, or the rejection unchanged. */
export function replyWithItem<Item>(
  item: Item | Rejection,
  rowOf: (item: Item) => object,
  status = 200,
): Reply | Rejection {
  return isRejection(item) ? item : { status, body: { success: true, data: rowOf(item) } };
}

/** Returns a reply with the row, or `not_found` when there is none. */
export function replyWithFound<Item>(item: Item | null, rowOf: (item: Item) => object): Reply | Rejection {
  return replyWithItem(item ?? new Rejection('not_found'), rowOf);
}

/**
 * A route: one method on one path. A path parameter `:slug` is the slug of a program. Every other `:name` is
 * a row id. A request with any other text in the place of an id gets a 404 `not_found`.
 */
export interface Route<
  A extends Access = Access,
  Path extends string = string,
  Query extends z.ZodType = z.ZodType,
  Body extends BodySchema = BodySchema,
  Resource = unknown,
> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: Path;
  readonly access: A;
  readonly query?: Query;
  /** If the schema of a field does not accept null, a field with `null` counts as absent. */
  readonly body?: Body;
  /**
   * Whether pages of other origins may call the route. Replies then have the cross-origin headers of the
   * tracking routes, and preflight requests are answered.
   */
  readonly crossOrigin?: boolean;
  /** Whether `admit` limits the requests of a public route. Cross-origin routes are always limited. */
  readonly isRateLimited?: boolean;
  /**
   * Whether the handler reads from the replica, whose data may be some seconds old. `authorize` and the check
   * of `access` always read from the primary. Set it only for lists, series, and exports.
   */
  readonly readsReplica?: boolean;
  /** The error code for an unexpected exception. @default 'internal_error' */
  readonly failure?: 'click_failed' | 'lead_failed' | 'sale_failed' | 'refund_failed';
  /** The kind of event that the route tracks. Undefined for other routes. */
  readonly tracks?: TrackingRouteName;
  /** The name of the route's concurrency limiter. @default 'default' */
  readonly limiter?: keyof Limiters;
  /**
   * The maximum size of a request body, in bytes. Ignored if a public route `readsBytes`.
   * @default `MAX_ROUTE_BODY_BYTES`
   */
  readonly maxBodyBytes?: number;
  /** Whether the handler reads the raw body with `readBytes`. */
  readonly readsBytes?: boolean;
  /** An additional check after `access`. It runs before the query and the body are parsed. */
  authorize?(
    runtime: Runtime,
    call: {
      readonly request: HttpRequest;
      readonly caller: CallerOf<A>;
      readonly params: PathParams<Path>;
    },
  ): Promise<Resource | Rejection>;
  /**
   * Called for each request that is rejected after the `access` check. It must be fast and synchronous,
   * because it delays the reply.
   */
  onRejected?(call: RejectedCall, rejection: Rejection): void;
  handle(
    runtime: Runtime,
    call: Call<A, PathParams<Path>, z.output<Query>, BodyOf<Body>, Resource>,
  ): Promise<Reply | Rejection>;
}

/** Defines a route. The types of the handler's arguments are inferred from the definition. */
export function route<
  const A extends Access,
  const Path extends string,
  Query extends z.ZodType,
  Body extends BodySchema,
  Resource,
>(definition: Route<A, Path, Query, Body, Resource>): Route {
  // The cast is safe because `handleRequest` builds each call from the same definition.
  return definition as unknown as Route;
}

/** Returns the schema of the route's body, for the documentation. */
export function bodySchemaOf({ body }: Pick<Route, 'body'>): z.ZodType | undefined {
  return body !== undefined && 'parsedByHandler' in body ? body.parsedByHandler : body;
}

const WITH_AUTHOR: readonly Access['kind'][] = [
  'session',
  'management',
  'program_session',
  'credential',
  'partner',
];

/** Whether the author of changes is recorded for a route with this access. */
export function routeRecordsAuthor(access: Access): boolean {
  return WITH_AUTHOR.includes(access.kind);
}
