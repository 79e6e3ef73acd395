import { MANAGEMENT_KEY_PREFIX, TRACKING_TOKEN_PREFIX } from '@affkit/protocol';

/** What an `Authorization` header carries, told from its form alone. */
export type Credential =
  | { readonly kind: 'none' }
  /** `Bearer` with nothing behind it. */
  | { readonly kind: 'empty' }
  | { readonly kind: 'trackingToken' | 'managementKey' | 'jwt' | 'unknown'; readonly text: string };

const BEARER = 'Bearer ';
const JWT = /^[\w-]+\.[\w-]+\.[\w-]+$/;

/** @param bareJwt whether a JWT may stand there without `Bearer ` */
export function readCredential(header: string | undefined, options: { bareJwt: boolean }): Credential {
  // HTTP strips the space of an empty `Bearer `.
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
