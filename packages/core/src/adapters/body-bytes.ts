const FIRST_BYTES = 1_024;

/** The bytes of a body, as they come in. However small its pieces are, it takes little more memory than it has bytes. */
export class BodyBytes {
  readonly #limit: number;
  #bytes: Uint8Array = new Uint8Array();
  #length = 0;

  /** @param limit most bytes that are taken */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** @returns false where it is too large now */
  add(piece: Uint8Array): boolean {
    const end = this.#length + piece.length;
    if (end > this.#limit) return false;
    // Most bodies come in one piece, which is not copied.
    if (this.#length === 0) this.#bytes = piece;
    else {
      if (this.#bytes.length < end) this.#grow(end);
      this.#bytes.set(piece, this.#length);
    }
    this.#length = end;
    return true;
  }

  all(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }

  #grow(length: number): void {
    const grown = new Uint8Array(Math.min(this.#limit, Math.max(FIRST_BYTES, 2 * length)));
    grown.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = grown;
  }
}
