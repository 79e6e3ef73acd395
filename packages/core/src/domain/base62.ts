const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/**
 * Encodes a number in base 62. Pads the result with zeros on the left, or cuts it to its last `width` digits.
 */
export function toBase62(value: number, width: number): string {
  let text = '';
  for (let rest = value; text.length < width; rest = Math.floor(rest / 62)) text = ALPHABET[rest % 62] + text;
  return text;
}

/** Returns `count` uniformly random base-62 characters. */
export function randomBase62(count: number, randomBytes: (count: number) => Uint8Array): string {
  let text = '';
  while (text.length < count) {
    for (const byte of randomBytes(count - text.length + 8)) {
      // 248 is the largest multiple of 62 that fits in a byte. Larger values would make some characters
      // more likely.
      if (byte < 248 && text.length < count) text += ALPHABET[byte % 62];
    }
  }
  return text;
}
