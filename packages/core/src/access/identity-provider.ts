import { isStorable } from '@affkit/protocol';
import { createRemoteJWKSet, customFetch, errors, jwtVerify } from 'jose';
import { Unavailable } from '../rejection.ts';
import type { IdentityProvider } from '../runtime.ts';

/** Where an outside identity provider's tokens come from, and for whom they must be. */
export interface IdentityProviderOptions {
  /** Its key set; the only one that its issuer's tokens are checked with. */
  readonly jwksUrl: string;
  readonly issuer: string;
  readonly audience: string;
  /** Fetches the key set. @default the global one */
  readonly fetch?: typeof globalThis.fetch;
}

/** Asymmetric ones alone: with a shared secret whoever can check a token could make one. */
const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA'];
const MAX_LIFE_SECONDS = 24 * 60 * 60;
const CLOCK_TOLERANCE_SECONDS = 5;
/** How long a key set that could not be had is not asked for again. */
const RETRY_MS = 5000;
/** How far the provider's clock may be ahead of ours. */
export const MAX_AHEAD_MS = 60_000;

/** @throws RangeError for a field that is missing, or a `jwksUrl` that can't be asked */
export function createIdentityProvider(options: IdentityProviderOptions): IdentityProvider {
  for (const name of ['jwksUrl', 'issuer', 'audience'] as const) {
    // Without an issuer or an audience anyone's tokens would do.
    if (typeof options[name] !== 'string' || options[name].trim() === '') {
      throw new RangeError(`identityProvider.${name} is missing or empty`);
    }
  }
  const jwksUrl = URL.parse(options.jwksUrl);
  if (jwksUrl === null || !/^https?:$/.test(jwksUrl.protocol)) {
    throw new RangeError(
      `identityProvider.jwksUrl must be an http or https URL, but is ${JSON.stringify(options.jwksUrl)}`,
    );
  }
  const { issuer, audience } = options;
  const load = options.fetch ?? globalThis.fetch;
  let lastAsked = 0;
  let restsUntil = 0;
  const keys = createRemoteJWKSet(jwksUrl, {
    [customFetch]: async (url, init) => {
      if (lastAsked < restsUntil) throw new Error('The key set could not be had a moment ago');
      return load(url, init);
    },
  });
  return {
    async verify(token, now) {
      lastAsked = now;
      try {
        const { payload } = await jwtVerify(token, keys, {
          algorithms: ALGORITHMS,
          issuer,
          audience,
          currentDate: new Date(now),
          clockTolerance: CLOCK_TOLERANCE_SECONDS,
          requiredClaims: ['exp', 'iat', 'sub'],
        });
        const { exp = 0 } = payload;
        // The library's types promise more than it checks.
        const { sub, iat }: { readonly sub?: unknown; readonly iat?: unknown } = payload;
        const isLasting = exp - now / 1000 > MAX_LIFE_SECONDS + CLOCK_TOLERANCE_SECONDS;
        if (typeof sub !== 'string' || sub === '' || !isStorable(sub) || isLasting) return null;
        if (typeof iat !== 'number' || iat * 1000 > now + MAX_AHEAD_MS) return null;
        return { issuer, subject: sub, email: verifiedEmail(payload), issuedAt: Math.floor(iat * 1000) };
      } catch (error) {
        if (isRefusal(error)) return null;
        // Anyone can send tokens: they must not make this server ask the provider each time.
        if (now >= restsUntil) restsUntil = now + RETRY_MS;
        throw new Unavailable('The key set of the identity provider cannot be had', { cause: error });
      }
    },
  };
}

function verifiedEmail(payload: Readonly<Record<string, unknown>>): string | null {
  const { email, email_verified: isVerified } = payload;
  return typeof email === 'string' && isStorable(email) && isVerified === true
    ? email.trim().toLowerCase()
    : null;
}

/** Is the token at fault? Anything else is the key set's. */
function isRefusal(error: unknown): boolean {
  return (
    error instanceof errors.JWTClaimValidationFailed ||
    error instanceof errors.JWTExpired ||
    error instanceof errors.JWTInvalid ||
    error instanceof errors.JWSInvalid ||
    error instanceof errors.JWSSignatureVerificationFailed ||
    error instanceof errors.JOSEAlgNotAllowed ||
    error instanceof errors.JOSENotSupported ||
    error instanceof errors.JWKSNoMatchingKey ||
    error instanceof errors.JWKSMultipleMatchingKeys
  );
}
