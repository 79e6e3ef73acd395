const CROCKFORD = '0123456789abcdefghjkmnpqrstvwxyz';
const PROGRAM_WIDTH = 7;
const TIME_WIDTH = 10;
/** The number of random bytes that `makeClickId` uses. */
export const CLICK_ID_RANDOM_BYTES = 10;
const CLICK_ID_PATTERN = /^clk_([0-9a-hjkmnp-tv-z]{7})[0-9a-hjkmnp-tv-z]{26}$/;

/**
 * Makes a click id. It starts with `clk_`. The rest is lower-case Crockford base32: 7 characters for the
 * program id, 10 for the time in milliseconds, and 16 for 80 random bits.
 */
export function makeClickId(
  programId: number,
  now: number,
  randomBytes: (count: number) => Uint8Array,
): string {
  return `clk_${encodeNumber(programId, PROGRAM_WIDTH)}${encodeNumber(now, TIME_WIDTH)}${encodeBytes(randomBytes(CLICK_ID_RANDOM_BYTES))}`;
}

/**
 * Reads the program id from a click id. The id is not looked up, so the click or the program may not exist.
 *
 * @returns null when the text is not a well-formed click id
 */
export function programOfClickId(clickId: string): number | null {
  const digits = CLICK_ID_PATTERN.exec(clickId)?.[1];
  if (digits === undefined) return null;
  let programId = 0;
  for (const digit of digits) programId = programId * 32 + CROCKFORD.indexOf(digit);
  return programId;
}

function encodeNumber(value: number, width: number): string {
  let text = '';
  for (let rest = Math.floor(value); text.length < width; rest = Math.floor(rest / 32))
    text = CROCKFORD[rest % 32] + text;
  return text;
}

function encodeBytes(bytes: Uint8Array): string {
  let text = '';
  let buffer = 0;
  let bits = 0;
  for (const byte of bytes) {
    buffer = (buffer << 8) | byte;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      text += CROCKFORD[(buffer >> bits) & 31];
    }
    buffer &= (1 << bits) - 1;
  }
  return text;
}
