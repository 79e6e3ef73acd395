import type { LinkFacts, RememberedLinks } from './clicks.ts';

const MAX_CODES = 10_000;

/** What a code led to when it was last looked up; both are null where nobody had it. */
interface Entry {
  readonly link: LinkFacts | null;
  readonly fingerprint: string | null;
}

const NOBODYS: Entry = { link: null, fingerprint: null };

/** Links as they were when they were last read, each with a fingerprint of what was read; and codes that nobody had. */
export class LinkMemory {
  readonly #known = new Map<string, Entry>();

  remember(link: LinkFacts, fingerprint: string): void {
    this.#keep(link.shortLink, { link, fingerprint });
  }

  rememberAbsent(shortLink: string): void {
    this.#keep(shortLink, NOBODYS);
  }

  /** All of them, or null where one was not looked up. */
  recall(shortLinks: readonly string[]): RememberedLinks | null {
    const found = shortLinks.flatMap((shortLink) => this.#known.get(shortLink) ?? []);
    if (found.length < shortLinks.length) return null;
    return {
      shortLinks,
      links: found.flatMap(({ link }) => link ?? []),
      fingerprints: found.map(({ fingerprint }) => fingerprint),
    };
  }

  forget(): void {
    this.#known.clear();
  }

  #keep(shortLink: string, entry: Entry): void {
    if (this.#known.size >= MAX_CODES) this.#known.clear();
    this.#known.set(shortLink, entry);
  }
}
