const BYTES = 16;

/**
 * Returns a random key. It does not use `crypto.randomUUID`, which browsers do not offer over plain HTTP. A
 * host in a local network may use plain HTTP.
 */
export function newIdempotencyKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(BYTES));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
