const BYTES = 16;

/** A random key. `crypto.randomUUID` does not exist on plain http, which a host in a local network may use. */
export function newIdempotencyKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(BYTES));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
