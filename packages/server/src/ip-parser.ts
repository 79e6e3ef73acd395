import { isIP } from 'node:net';

/** The address bits that are compared with the files of geoip-lite, as unsigned 32-bit words. */
export interface ParsedIp {
  readonly version: 4 | 6;
  /** All 32 bits of an IPv4 address, or the first 32 bits of an IPv6 address. */
  readonly high: number;
  /** Bits 32 to 63 of an IPv6 address. 0 for IPv4. */
  readonly low: number;
}

/** The prefix of an IPv4-mapped IPv6 address. */
const MAPPED_PREFIX = /^(?:0:0:0:0:0:|::)ffff:/i;

/**
 * Parses the 32 bits of an IPv4 address, or the upper 64 bits of an IPv6 address, exactly as geoip-lite does.
 * This includes two quirks of geoip-lite. The groups after `::` are copied to the end of the address, but they also
 * stay at their original index. A mapped address in hexadecimal, such as `::ffff:c000:201`, is parsed as if it were
 * decimal.
 * @returns `null` if the text is not a valid IP address
 */
export function parseIp(text: string): ParsedIp | null {
  const version = isIP(text);
  if (version === 4) return { version, high: parseIpv4(text), low: 0 };
  if (version !== 6) return null;
  const mapped = MAPPED_PREFIX.exec(text);
  if (mapped) return { version: 4, high: parseMappedIpv4(text.slice(mapped[0].length)), low: 0 };
  return { version: 6, ...parseIpv6(text) };
}

const DOT = 46;
const ZERO = 48;

/** Parses an IPv4 address that `isIP` has accepted. geoip-lite has no quirks for IPv4. Allocates no memory. */
function parseIpv4(text: string): number {
  let word = 0;
  let byte = 0;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code === DOT) {
      word = word * 256 + byte;
      byte = 0;
    } else byte = byte * 10 + code - ZERO;
  }
  return word * 256 + byte;
}

function parseMappedIpv4(text: string): number {
  const [a = '', b = '', c = '', d = ''] = text.split('.');
  return (
    ((Number.parseInt(a, 10) << 24) >>> 0) +
    ((Number.parseInt(b, 10) << 16) >>> 0) +
    ((Number.parseInt(c, 10) << 8) >>> 0) +
    (Number.parseInt(d, 10) >>> 0)
  );
}

function parseIpv6(text: string): { high: number; low: number } {
  const groups = text.split(':');
  const last = groups.length - 1;
  if (groups[last] === '') groups[last] = '0';
  // If there are fewer than eight groups, the groups after `::` move to the end.
  for (let index = last; last < 7 && index >= 0; index--) {
    const group = groups[index];
    if (group === undefined || group === '') break;
    groups[7 - last + index] = group;
  }
  const word = (index: number) => {
    const [upper, lower] = [groups[index], groups[index + 1]].map((group) =>
      group === undefined || group === '' ? 0 : Number.parseInt(group, 16),
    );
    return (((upper ?? 0) << 16) + (lower ?? 0)) >>> 0;
  };
  return { high: word(0), low: word(2) };
}
