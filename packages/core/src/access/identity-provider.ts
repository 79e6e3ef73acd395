import { isStorable } from '@affkit/protocol';
import { createRemoteJWKSet, customFetch, errors, jwtVerify } from 'jose';
import { normalizeEmail } from '../domain/email.ts';
import { Unavailable } from '../rejection.ts';
import type { IdentityProvider } from '../runtime.ts';

/** Your own identity provider, whose JWTs Affkit accepts as sessions. */
export interface IdentityProviderOptions {
  /** The http(s) URL of the provider's JSON Web Key Set. Tokens are verified only with these keys. */
  readonly jwksUrl: string;
  /** The `iss` claim that a token must have. */
  readonly issuer: string;
  /** The `aud` claim that a token must have or contain. */
  readonly audience: string;
  /** Fetches the key set. @default globalThis.fetch */
  readonly fetch?: typeof globalThis.fetch;
}

/** Asymmetric algorithms only. With a symmetric algorithm, anyone who can verify a token can also forge tokens. */
const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA'];
const MAX_LIFETIME_SECONDS = 24 * 60 * 60;
const CLOCK_TOLERANCE_SECONDS = 5;
/** After a failed fetch of the key set, Affkit does not fetch it again for this long. */
const KEY_SET_RETRY_MS = 5000;
/** How far the provider's clock may be ahead of ours. */
export const MAX_CLOCK_SKEW_MS = 60_000;

/** @throws RangeError when a field is missing or empty, or `jwksUrl` is not an http or https URL */
export function createIdentityProvider(options: IdentityProviderOptions): IdentityProvider {
  for (const name of ['jwksUrl', 'issuer', 'audience'] as const) {
    // Without an issuer or an audience, tokens made for other applications would be accepted.
    if (typeof options[name] !== 'string' || options[name].trim() === '') {
      throw new RangeError(`identityProvider.${name} is missing or empty`);
    }
  }
  const jwksUrl = URL.parse(options.jwksUrl);
  if (jwksUrl === null || !/^https?:$/.test(jwksUrl.protocol)) {
    throw new RangeError(
      `identityProvider.jwksUrl must be an http or https URL, got ${JSON.stringify(options.jwksUrl)}`,
    );
  }
  const { issuer, audience } = options;
  const fetchKeys = options.fetch ?? globalThis.fetch;
  let lastVerifiedAt = 0;
  let retryAt = 0;
  const keys = createRemoteJWKSet(jwksUrl, {
    [customFetch]: async (url, init) => {
      if (lastVerifiedAt < retryAt)
        throw new Error('The last fetch of the JWKS failed. Affkit waits 5 seconds before the next fetch');
      return fetchKeys(url, init);
    },
  });
  return {
    async verify(token, now) {
      lastVerifiedAt = now;
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
        // The library declares the types of `sub` and `iat`, but does not check them.
        const { sub, iat }: { readonly sub?: unknown; readonly iat?: unknown } = payload;
        const exceedsMaxLifetime = exp - now / 1000 > MAX_LIFETIME_SECONDS + CLOCK_TOLERANCE_SECONDS;
        if (typeof sub !== 'string' || sub === '' || !isStorable(sub) || exceedsMaxLifetime) return null;
        if (typeof iat !== 'number' || iat * 1000 > now + MAX_CLOCK_SKEW_MS) return null;
        return { issuer, subject: sub, email: verifiedEmail(payload), issuedAt: Math.floor(iat * 1000) };
      } catch (error) {
        if (isTokenError(error)) return null;
        // Anyone can send tokens. Without this delay, each token would cause a fetch while the provider is
        // down.
        if (now >= retryAt) retryAt = now + KEY_SET_RETRY_MS;
        throw new Unavailable("The identity provider's key set could not be fetched", { cause: error });
      }
    },
  };
}

function verifiedEmail(payload: Readonly<Record<string, unknown>>): string | null {
  const { email, email_verified: isVerified } = payload;
  // Users have ASCII addresses. Reject any other address, because a look-alike of an ASCII letter could imitate
  // the address of another person.
  return typeof email === 'string' && /^[ -~]+$/.test(email) && isVerified === true
    ? normalizeEmail(email)
    : null;
}

/** Whether the token caused the error. Any other error means that the key set could not be loaded. */
function isTokenError(error: unknown): boolean {
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
