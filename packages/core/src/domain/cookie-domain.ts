import { parse } from 'tldts';

/**
 * Whether anyone can register names under the domain (`com`, `co.uk`, `github.io`), or it has no
 * dot (`localhost`). Browsers reject cookies for such domains.
 */
export function isPublicSuffix(domain: string): boolean {
  const parts = parse(domain, { allowPrivateDomains: true });
  return parts.isIp !== true && parts.domain === null;
}
