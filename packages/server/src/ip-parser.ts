import { isIP } from 'node:net';

/** An address as files of places are searched by it. */
export interface IpWords {
  readonly version: 4 | 6;
  readonly high: number;
  /** 0 for IPv4. */
  readonly low: number;
}

/** How IPv6 writes an address of IPv4. */
const MAPPED = /^(?:0:0:0:0:0:|::)ffff:/i;

/**
 * The 32 bits of an IPv4 address, or the upper 64 of an IPv6 one, exactly as geoip-lite reads them. That has its
 * oddities, and the answers depend on them: what follows `::` is also left where it stood, a mapped address in
 * hexadecimal is read as decimal.
 * @returns `null` for what is no address
 */
export function parseIp(text: string): IpWords | null {
  const version = isIP(text);
  if (version === 4) return { version, high: readDecimal(text), low: 0 };
  if (version !== 6) return null;
  const mapped = MAPPED.exec(text);
  if (mapped) return { version: 4, high: readDotted(text.slice(mapped[0].length)), low: 0 };
  return { version: 6, ...readColons(text) };
}

const DOT = 46;
const ZERO = 48;

/** Of what `isIP` has taken for an address: none of the oddities can be in it. */
function readDecimal(text: string): number {
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

function readDotted(text: string): number {
  const [a = '', b = '', c = '', d = ''] = text.split('.');
  return (
    ((Number.parseInt(a, 10) << 24) >>> 0) +
    ((Number.parseInt(b, 10) << 16) >>> 0) +
    ((Number.parseInt(c, 10) << 8) >>> 0) +
    (Number.parseInt(d, 10) >>> 0)
  );
}

function readColons(text: string): { high: number; low: number } {
  const groups = text.split(':');
  const last = groups.length - 1;
  if (groups[last] === '') groups[last] = '0';
  // Fewer than eight groups: those after `::` belong to the end.
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
