import type { Access, CallerOf } from '../access/access.ts';
import { isRejection, type Rejection } from '../rejection.ts';
import type { Runtime } from '../runtime.ts';
import type { Limiters } from './concurrency-limiter.ts';
import type { HttpRequest } from './message.ts';

/** Largest body that is read where the route says nothing of it, in bytes. */
export const MAX_BODY_BYTES: number = 64 * 1024;

/** What a handler is given, beside the runtime. */
export interface Call<A extends Access = Access> {
  readonly request: HttpRequest;
  readonly requestId: string;
  /** Named parts of the path, percent-decoded. */
  readonly params: Readonly<Record<string, string>>;
  /** For a route that `readsBytes`, which calls it once: the body's, or `'too_large'` as soon as they exceed `limit`. */
  readonly readBytes: HttpRequest['body'];
  /** The parsed body, normalised by `withoutAbsent`; an empty object where there is none. */
  readonly body: Readonly<Record<string, unknown>>;
  readonly caller: CallerOf<A>;
}

/** A handler's answer: a body for 200, or with a status and headers of its own. */
export interface Answer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** The answer with what was found, made or changed, as it is shown; or why it was not. */
export function itemAnswer<Item>(item: Item | Rejection, rowOf: (item: Item) => object): Answer | Rejection {
  return isRejection(item) ? item : { body: { success: true, data: rowOf(item) } };
}

/** One method on one path. Paths name their parts `:name`. */
export interface Route<A extends Access = Access> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly access: A;
  /** Replies carry the cross-origin headers of the tracking routes, and a preflight is answered. */
  readonly crossOrigin?: boolean;
  /** Code of the fixed text for an unexpected error. @default 'internal_error' */
  readonly failure?: 'click_failed' | 'lead_failed' | 'sale_failed' | 'refund_failed';
  /** Among which others it is counted. @default 'others' */
  readonly limiter?: keyof Limiters;
  /** Largest body that is read, in bytes. @default `MAX_BODY_BYTES` */
  readonly maxBodyBytes?: number;
  /** The handler reads the body's bytes itself, and is given an empty `body`. */
  readonly readsBytes?: boolean;
  /** Fields of the body whose `null` is a value of its own; of all others it is the same as absent. */
  readonly nullable?: readonly string[];
  handle(runtime: Runtime, call: Call<A>): Promise<Answer | Rejection>;
}

/** A row of the route table, its access checked against its handler. */
export function route<const A extends Access>(definition: Route<A>): Route {
  return definition as Route;
}

const ACTING: readonly Access['kind'][] = ['session', 'management', 'credential', 'partner'];

/** Does it let in who has to answer for what they change? */
export function isByActor(access: Access): boolean {
  return ACTING.includes(access.kind);
}
