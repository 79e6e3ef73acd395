import { flattenString } from '../../domain/flatten-string.ts';
import type { CachedCode, CachedLinks, LinkFacts } from '../database/click-store.ts';

const MAX_CACHED_LINKS = 10_000;
const MAX_CACHED_ABSENT_CODES = 1_000;

/** Caches links with a fingerprint of their data. Also caches codes that have no link. */
export class LinkCache {
  readonly #links = new Map<string, { readonly link: LinkFacts; readonly fingerprint: string }>();
  /** Codes that have no link. They are cached separately, so that made-up codes cannot evict links. */
  readonly #absent = new Set<string>();

  set(link: LinkFacts, fingerprint: string): void {
    this.#absent.delete(link.code);
    if (this.#links.size >= MAX_CACHED_LINKS && !this.#links.has(link.code)) this.#links.clear();
    this.#links.set(link.code, { link, fingerprint });
  }

  setAbsent(code: string): void {
    this.#links.delete(code);
    if (this.#absent.size >= MAX_CACHED_ABSENT_CODES && !this.#absent.has(code)) this.#absent.clear();
    this.#absent.add(flattenString(code));
  }

  /** Returns the links of the codes, or null when one of the codes is not cached. */
  get(codes: readonly string[]): CachedLinks | null {
    const links: LinkFacts[] = [];
    const cachedCodes: CachedCode[] = [];
    for (const code of codes) {
      const cached = this.#links.get(code);
      if (!cached && !this.#absent.has(code)) return null;
      if (cached) links.push(cached.link);
      cachedCodes.push({ code, fingerprint: cached?.fingerprint ?? null });
    }
    return { codes: cachedCodes, links };
  }

  clear(): void {
    this.#links.clear();
    this.#absent.clear();
  }
}
