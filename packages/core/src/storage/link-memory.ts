import type { LinkFacts, RememberedLinks } from './clicks.ts';

const MAX_LINKS = 10_000;

/** Links as they were when they were last read, each with a fingerprint of what was read. */
export class LinkMemory {
  readonly #known = new Map<string, { readonly link: LinkFacts; readonly fingerprint: string }>();

  remember(link: LinkFacts, fingerprint: string): void {
    if (this.#known.size >= MAX_LINKS) this.#known.clear();
    this.#known.set(link.shortLink, { link, fingerprint });
  }

  /** All of them, or null where one is not known. */
  recall(shortLinks: readonly string[]): RememberedLinks | null {
    const found = shortLinks.flatMap((shortLink) => this.#known.get(shortLink) ?? []);
    if (found.length < shortLinks.length) return null;
    return {
      links: found.map(({ link }) => link),
      fingerprints: found.map(({ fingerprint }) => fingerprint),
    };
  }

  forget(): void {
    this.#known.clear();
  }
}
