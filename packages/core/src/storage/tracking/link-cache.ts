import { flattenString } from '../../domain/flatten-string.ts';
import type { CachedCode, CachedLinks, LinkFacts } from '../database/click-store.ts';

const MAX_CACHED_LINKS = 10_000;
const MAX_CACHED_ABSENT_CODES = 1_000;

/** Caches links with a fingerprint of their data, and codes that no link had. */
export class LinkCache {
  readonly #links = new Map<string, { readonly link: LinkFacts; readonly fingerprint: string }>();
  /** Codes without a link. Kept separately, so that invented codes cannot evict links. */
  readonly #absent = new Set<string>();

  set(link: LinkFacts, fingerprint: string): void {
    this.#absent.delete(link.shortLink);
    if (this.#links.size >= MAX_CACHED_LINKS && !this.#links.has(link.shortLink)) this.#links.clear();
    this.#links.set(link.shortLink, { link, fingerprint });
  }

  setAbsent(shortLink: string): void {
    this.#links.delete(shortLink);
    if (this.#absent.size >= MAX_CACHED_ABSENT_CODES && !this.#absent.has(shortLink)) this.#absent.clear();
    this.#absent.add(flattenString(shortLink));
  }

  /** Returns the links of the codes, or null when one of the codes is not cached. */
  get(shortLinks: readonly string[]): CachedLinks | null {
    const links: LinkFacts[] = [];
    const codes: CachedCode[] = [];
    for (const shortLink of shortLinks) {
      const cached = this.#links.get(shortLink);
      if (!cached && !this.#absent.has(shortLink)) return null;
      if (cached) links.push(cached.link);
      codes.push({ shortLink, fingerprint: cached?.fingerprint ?? null });
    }
    return { codes, links };
  }

  clear(): void {
    this.#links.clear();
    this.#absent.clear();
  }
}
