import { parse } from 'tldts';

/** Is it a domain under which anyone may register names (`com`, `co.uk`, `github.io`)? */
export function isPublicSuffix(domain: string): boolean {
  if (domain === 'localhost') return false;
  const parts = parse(domain, { allowPrivateDomains: true });
  return parts.isIp !== true && parts.domain === null;
}
