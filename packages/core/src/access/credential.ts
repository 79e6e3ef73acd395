import { MANAGEMENT_KEY_PREFIX, TRACKING_TOKEN_PREFIX } from '@affkit/protocol';

/** The credential in an `Authorization` header, classified by its form only. Nothing is verified yet. */
export type Credential =
  | { readonly kind: 'none' }
  /** `Bearer` without a value. */
  | { readonly kind: 'empty' }
  | { readonly kind: 'trackingToken' | 'managementKey' | 'jwt' | 'unknown'; readonly text: string };

const BEARER = 'Bearer ';
const JWT = /^[\w-]+\.[\w-]+\.[\w-]+$/;

/** @param options `bareJwt`: whether a JWT without the `Bearer ` prefix is accepted */
export function readCredential(header: string | undefined, options: { bareJwt: boolean }): Credential {
  // HTTP parsers strip trailing spaces, so an empty credential arrives as `Bearer` without the space.
  if (header?.trim() === 'Bearer') return { kind: 'empty' };
  if (header?.startsWith(BEARER)) return classify(header.slice(BEARER.length).trim());
  const text = header?.trim() ?? '';
  return options.bareJwt && JWT.test(text) ? { kind: 'jwt', text } : { kind: 'none' };
}

function classify(text: string): Credential {
  if (text === '') return { kind: 'empty' };
  if (text.startsWith(TRACKING_TOKEN_PREFIX)) return { kind: 'trackingToken', text };
  if (text.startsWith(MANAGEMENT_KEY_PREFIX)) return { kind: 'managementKey', text };
  return { kind: JWT.test(text) ? 'jwt' : 'unknown', text };
}
