import type { LinkFacts } from '../database/click-store.ts';

/** A link with the columns that are selected by the click stores. */
export interface LinkFactsRow extends Omit<LinkFacts, 'allowedOrigins' | 'requireOrigin' | 'programDeleted'> {
  allowedOrigins: string;
  requireOrigin: 0 | 1;
  deletedAt: number | null;
}

const MAX_CACHED_TEXTS = 10_000;
/**
 * The limit for the total length of all cached texts. A single text can be as long as a request body, and
 * needs several times as much memory after parsing.
 */
const MAX_CACHED_CHARACTERS = 4_000_000;

/**
 * Converts `LinkFactsRow` to `LinkFacts`. The parsed lists of allowed origins are cached, because all links of a
 * program have the same list, and there are few programs.
 */
export class LinkReader {
  readonly #origins = new Map<string, readonly string[]>();
  readonly #onClear: () => void;
  #characters = 0;

  /** @param onClear called when the cache is cleared. @default no callback */
  constructor(onClear: () => void = () => {}) {
    this.#onClear = onClear;
  }

  read({ allowedOrigins, requireOrigin, deletedAt, ...row }: LinkFactsRow): LinkFacts {
    return {
      ...row,
      allowedOrigins: this.#parseOrigins(allowedOrigins),
      requireOrigin: requireOrigin === 1,
      programDeleted: deletedAt !== null,
    };
  }

  #parseOrigins(text: string): readonly string[] {
    const cached = this.#origins.get(text);
    if (cached) return cached;
    const characters = this.#characters + text.length;
    if (this.#origins.size >= MAX_CACHED_TEXTS || characters > MAX_CACHED_CHARACTERS) this.#clear();
    const origins = JSON.parse(text) as string[];
    this.#origins.set(text, origins);
    this.#characters += text.length;
    return origins;
  }

  #clear(): void {
    this.#origins.clear();
    this.#characters = 0;
    this.#onClear();
  }
}
