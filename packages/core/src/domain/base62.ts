const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** A number in base 62, padded to `width`. */
export function toBase62(value: number, width: number): string {
  let text = '';
  for (let rest = value; text.length < width; rest = Math.floor(rest / 62)) text = ALPHABET[rest % 62] + text;
  return text;
}

/** `count` uniformly random base-62 characters; `randomBytes` gives that many random bytes. */
export function randomBase62(count: number, randomBytes: (count: number) => Uint8Array): string {
  let text = '';
  while (text.length < count) {
    for (const byte of randomBytes(count - text.length + 8)) {
      // 248 is the largest multiple of 62 in a byte: higher values would favour some characters.
      if (byte < 248 && text.length < count) text += ALPHABET[byte % 62];
    }
  }
  return text;
}
