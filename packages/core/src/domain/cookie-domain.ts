import { parse } from 'tldts';

/**
 * Whether browsers reject cookies for the domain. They do so if anyone can register names under it (`com`,
 * `co.uk`, `github.io`), or if it has no dot (`localhost`).
 */
export function isPublicSuffix(domain: string): boolean {
  const parts = parse(domain, { allowPrivateDomains: true });
  return parts.isIp !== true && parts.domain === null;
}
