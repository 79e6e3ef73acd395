import type { Scope } from '@affkit/protocol';
import type { Actor } from '../access/actor.ts';
import type { Rejection } from '../rejection.ts';
import type { Runtime } from '../runtime.ts';
import type { ProgramAccount } from '../storage/programs.ts';
import type { HttpRequest } from './message.ts';

/** Who may call a route. Each route must state it. */
export type Access =
  /** Anyone. */
  | { readonly kind: 'public' }
  /** A program's tracking token. */
  | { readonly kind: 'token' }
  /** Any signed-in user. */
  | { readonly kind: 'session' }
  /**
   * A session, or a management key with `scope`. With `program`, the path's `:id` names a program that the
   * caller must be allowed to touch: 404 before 403.
   */
  | { readonly kind: 'management'; readonly scope: Scope; readonly program: boolean }
  /** A session or a management key; the handler itself says what it may do with it. */
  | { readonly kind: 'credential' };

/** What a handler is given, beside the runtime. */
export interface Call<A extends Access = Access> {
  readonly request: HttpRequest;
  readonly requestId: string;
  /** Named parts of the path, percent-decoded. */
  readonly params: Readonly<Record<string, string>>;
  /** The parsed body, normalised by `withoutAbsent`; an empty object where there is none. */
  readonly body: Readonly<Record<string, unknown>>;
  readonly caller: CallerOf<A>;
}

/** The checked credential of a call, by the route's access. */
export type CallerOf<A extends Access> = A extends { kind: 'public' }
  ? null
  : A extends { kind: 'token' }
    ? ProgramAccount
    : A extends { kind: 'session' }
      ? Extract<Actor, { kind: 'session' }>
      : A extends { kind: 'management'; program: true }
        ? { readonly actor: Actor; readonly program: ProgramAccount }
        : Actor;

/** A handler's answer: a body for 200, or with a status and headers of its own. */
export interface Answer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: unknown;
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
  /** Fields of the body whose `null` is a value of its own; of all others it is the same as absent. */
  readonly nullable?: readonly string[];
  handle(runtime: Runtime, call: Call<A>): Promise<Answer | Rejection>;
}

/** A row of the route table, its access checked against its handler. */
export function route<const A extends Access>(definition: Route<A>): Route {
  return definition as unknown as Route;
}
