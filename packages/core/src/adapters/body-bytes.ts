const INITIAL_CAPACITY = 1_024;

/**
 * Collects the chunks of a request body up to a size limit. The chunks are copied into one buffer, so that a
 * body of many tiny chunks needs little more memory than its size.
 */
export class BodyBytes {
  readonly #limit: number;
  #bytes: Uint8Array = new Uint8Array();
  #length = 0;

  /** @param limit maximum size in bytes */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** @returns whether the chunk was added; false when the body would exceed the limit */
  add(chunk: Uint8Array): boolean {
    const end = this.#length + chunk.length;
    if (end > this.#limit) return false;
    // Most bodies arrive in a single chunk. Avoid copying it.
    if (this.#length === 0) this.#bytes = chunk;
    else {
      if (this.#bytes.length < end) this.#grow(end);
      this.#bytes.set(chunk, this.#length);
    }
    this.#length = end;
    return true;
  }

  /** The number of bytes that have been added. */
  get length(): number {
    return this.#length;
  }

  all(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }

  #grow(length: number): void {
    const grown = new Uint8Array(Math.min(this.#limit, Math.max(INITIAL_CAPACITY, 2 * length)));
    grown.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = grown;
  }
}
