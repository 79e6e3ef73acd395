import { PARTNER_PARAM } from '@affkit/protocol';
import { randomBase62 } from './base62.ts';
import { lowerAscii } from './lower-ascii.ts';
import { toSlug } from './slug.ts';

const RANDOM_LENGTH = 8;

/**
 * Suggests a code for a partner's link: a readable form of the name, and a random part that makes the code
 * unique.
 */
export function suggestShortLink(partnerName: string, randomBytes: (count: number) => Uint8Array): string {
  return `${toSlug(partnerName, 'partner', 24)}-${randomBase62(RANDOM_LENGTH, randomBytes).toLowerCase()}`;
}

/**
 * The spellings under which the link directory may store a code. Codes are usually stored in lower case. The
 * exact spelling is stored only for an old link whose code differs from another code only in case.
 */
export function directoryCodes(code: string): string[] {
  return [...new Set([code, lowerAscii(code)])];
}

/**
 * Finds the value of a code in a map with the directory's codes as keys. The exact spelling takes precedence.
 */
export function findByCode<Value>(values: ReadonlyMap<string, Value>, code: string): Value | undefined {
  return values.get(code) ?? values.get(lowerAscii(code));
}

/**
 * The URL that a partner shares: a page of the program's site with the link's code as `aff` parameter.
 * @param landingPath path of the page; null for the site itself
 */
export function shortLinkUrl(
  siteUrl: string,
  shortLink: string,
  { landingPath = null, subId = null }: { landingPath?: string | null; subId?: string | null } = {},
): string {
  const url = landingPath === null ? new URL(siteUrl) : new URL(landingPath, siteUrl);
  url.searchParams.set(PARTNER_PARAM, shortLink);
  if (subId !== null) url.searchParams.set('sub_id', subId);
  return url.href;
}
