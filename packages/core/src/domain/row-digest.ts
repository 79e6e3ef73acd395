import { hash } from 'node:crypto';

const MODULUS = 1n << 256n;

/**
 * A digest of a set of rows that does not depend on their order: the sum of the SHA-256 of each row, modulo
 * 2^256. Databases sort texts differently, so the order of the rows of two installations may differ.
 */
export class RowDigest {
  #sum = 0n;

  /** @param values the values of the row, in a fixed order */
  add(values: readonly (string | number | null)[]): void {
    const digest = hash('sha256', JSON.stringify(values));
    this.#sum = (this.#sum + BigInt(`0x${digest}`)) % MODULUS;
  }

  /** The digest in lower-case hex. */
  hex(): string {
    return this.#sum.toString(16).padStart(64, '0');
  }
}
