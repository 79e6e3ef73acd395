import type { LinkFacts } from '../database/click-store.ts';

/** A link as both engines select it. */
export interface LinkRow extends Omit<LinkFacts, 'allowedOrigins' | 'programDeleted'> {
  allowedOrigins: string;
  deletedAt: number | null;
}

const MAX_TEXTS = 10_000;
/** Of all texts: each may have as many as a request's body, and takes several times that, parsed. */
const MAX_CHARACTERS = 4_000_000;

/** Reads rows of links. Programs are few: the same text of origins need not be parsed for each batch. */
export class LinkReader {
  readonly #origins = new Map<string, readonly string[]>();
  readonly #onForget: () => void;
  #characters = 0;

  /** @param onForget is told when all that it read is let go of. @default nobody is */
  constructor(onForget: () => void = () => {}) {
    this.#onForget = onForget;
  }

  read({ allowedOrigins, deletedAt, ...row }: LinkRow): LinkFacts {
    return { ...row, allowedOrigins: this.#parseOrigins(allowedOrigins), programDeleted: deletedAt !== null };
  }

  #parseOrigins(text: string): readonly string[] {
    const known = this.#origins.get(text);
    if (known) return known;
    const characters = this.#characters + text.length;
    if (this.#origins.size >= MAX_TEXTS || characters > MAX_CHARACTERS) this.#forget();
    const origins = JSON.parse(text) as string[];
    this.#origins.set(text, origins);
    this.#characters += text.length;
    return origins;
  }

  #forget(): void {
    this.#origins.clear();
    this.#characters = 0;
    this.#onForget();
  }
}
