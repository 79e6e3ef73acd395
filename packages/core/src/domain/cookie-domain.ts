import { parse } from 'tldts';

/**
 * Whether anyone can register names under the domain (`com`, `co.uk`, `github.io`). Browsers reject cookies
 * for such domains.
 */
export function isPublicSuffix(domain: string): boolean {
  if (domain === 'localhost') return false;
  const parts = parse(domain, { allowPrivateDomains: true });
  return parts.isIp !== true && parts.domain === null;
}
