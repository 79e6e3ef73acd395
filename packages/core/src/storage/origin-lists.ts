const MAX_LISTS = 1_000;

/** Lists of allowed origins from their stored JSON: programs are few, so the same text need not be parsed each time. */
export class OriginLists {
  readonly #known = new Map<string, readonly string[]>();

  parse(text: string): readonly string[] {
    const known = this.#known.get(text);
    if (known) return known;
    const origins = JSON.parse(text) as string[];
    // Each change of a program's list leaves the one before behind.
    if (this.#known.size >= MAX_LISTS) this.#known.clear();
    this.#known.set(text, origins);
    return origins;
  }
}
