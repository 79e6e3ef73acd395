import { MANAGEMENT_KEY_PREFIX, TRACKING_TOKEN_PREFIX } from '@affkit/protocol';
import type { Rejection } from '../rejection.ts';

/** The credential in an `Authorization` header, classified by its form only. Nothing is verified yet. */
export type Credential =
  | { readonly kind: 'none' }
  /** `Bearer` without a value. */
  | { readonly kind: 'empty' }
  | { readonly kind: 'trackingToken' | 'managementKey' | 'jwt' | 'unknown'; readonly text: string };

/** The credentials of a request. */
export interface SentCredentials {
  /** The `Authorization` header, unchanged. If it is set, the cookie is ignored. */
  readonly authorization?: string | undefined;
  readonly cookie?: SessionCookie | undefined;
}

/** The cookie of a browser session. */
export interface SessionCookie {
  readonly token: string;
  /**
   * A rejection if another site may have made the browser send the request (CSRF). Null if the cookie may be
   * used.
   */
  readonly rejection: Rejection | null;
}

const BEARER = 'Bearer ';
const JWT = /^[\w-]+\.[\w-]+\.[\w-]+$/;

/** @param options `bareJwt`: whether to accept a JWT without the `Bearer ` prefix */
export function readCredential(header: string | undefined, options: { bareJwt: boolean }): Credential {
  // HTTP parsers strip trailing spaces, so an empty credential arrives as `Bearer` without the space.
  if (header?.trim() === 'Bearer') return { kind: 'empty' };
  if (header?.startsWith(BEARER)) return classifyCredential(header.slice(BEARER.length).trim());
  const text = header?.trim() ?? '';
  return options.bareJwt && JWT.test(text) ? { kind: 'jwt', text } : { kind: 'none' };
}

function classifyCredential(text: string): Credential {
  if (text === '') return { kind: 'empty' };
  if (text.startsWith(TRACKING_TOKEN_PREFIX)) return { kind: 'trackingToken', text };
  if (text.startsWith(MANAGEMENT_KEY_PREFIX)) return { kind: 'managementKey', text };
  return { kind: JWT.test(text) ? 'jwt' : 'unknown', text };
}
