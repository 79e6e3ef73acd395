import type { LinkFacts } from './clicks.ts';

/** A link as both engines select it. */
export interface LinkRow extends Omit<LinkFacts, 'allowedOrigins' | 'programDeleted'> {
  allowedOrigins: string;
  deletedAt: number | null;
}

/** Reads rows of links. Programs are few: the same text of origins need not be parsed for each batch. */
export class LinkReader {
  readonly #origins = new Map<string, readonly string[]>();

  read({ allowedOrigins, deletedAt, ...row }: LinkRow): LinkFacts {
    return { ...row, allowedOrigins: this.#parseOrigins(allowedOrigins), programDeleted: deletedAt !== null };
  }

  #parseOrigins(text: string): readonly string[] {
    const known = this.#origins.get(text);
    if (known) return known;
    if (this.#origins.size >= MAX_TEXTS) this.#origins.clear();
    const origins = JSON.parse(text) as string[];
    this.#origins.set(text, origins);
    return origins;
  }
}

const MAX_TEXTS = 10_000;
