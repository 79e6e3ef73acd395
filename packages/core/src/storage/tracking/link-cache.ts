import { flattenString } from '../../domain/flatten-string.ts';
import type { CachedCode, CachedLinks, LinkFacts } from '../database/click-store.ts';

const MAX_LINKS = 10_000;
const MAX_ABSENT = 1_000;

/** Links as they were when they were last read, each with a fingerprint of what was read; and codes that nobody had. */
export class LinkCache {
  readonly #links = new Map<string, { readonly link: LinkFacts; readonly fingerprint: string }>();
  /** Anybody can make up codes: they take no link's place. */
  readonly #absent = new Set<string>();

  set(link: LinkFacts, fingerprint: string): void {
    this.#absent.delete(link.shortLink);
    if (this.#links.size >= MAX_LINKS && !this.#links.has(link.shortLink)) this.#links.clear();
    this.#links.set(link.shortLink, { link, fingerprint });
  }

  setAbsent(shortLink: string): void {
    this.#links.delete(shortLink);
    if (this.#absent.size >= MAX_ABSENT && !this.#absent.has(shortLink)) this.#absent.clear();
    this.#absent.add(flattenString(shortLink));
  }

  /** All of them, or null where one was not looked up. */
  get(shortLinks: readonly string[]): CachedLinks | null {
    const links: LinkFacts[] = [];
    const codes: CachedCode[] = [];
    for (const shortLink of shortLinks) {
      const known = this.#links.get(shortLink);
      if (!known && !this.#absent.has(shortLink)) return null;
      if (known) links.push(known.link);
      codes.push({ shortLink, fingerprint: known?.fingerprint ?? null });
    }
    return { codes, links };
  }

  clear(): void {
    this.#links.clear();
    this.#absent.clear();
  }
}
