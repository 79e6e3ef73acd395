import { PARTNER_PARAM } from '@affkit/protocol';
import { randomBase62 } from './base62.ts';
import { toSlug } from './slug.ts';

const RANDOM_LENGTH = 8;

/** A code for a partner's link: the name, to be recognised by, and a random part, to be nobody else's. */
export function suggestShortLink(partnerName: string, randomBytes: (count: number) => Uint8Array): string {
  return `${toSlug(partnerName, 'partner', 24)}-${randomBase62(RANDOM_LENGTH, randomBytes).toLowerCase()}`;
}

/** The address that a partner shares: the program's site with the code. */
export function shortLinkUrl(siteUrl: string, shortLink: string): string {
  const url = new URL(siteUrl);
  url.searchParams.set(PARTNER_PARAM, shortLink);
  return url.href;
}
