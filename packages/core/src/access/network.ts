import { isIPv6 } from 'node:net';

/**
 * Returns the key under which rate limits count an IP address. An IPv6 address becomes its /64, because one
 * subscriber usually has a whole /64. Dual-stack sockets report IPv4-mapped addresses such as
 * `::ffff:192.0.2.1`. These become the IPv4 address. Any other text is returned unchanged.
 */
export function networkOf(ip: string): string {
  const [address = ''] = ip.split('%', 1);
  const groups = groupsOf(address);
  if (groups === null) return address;
  return mappedAddress(groups) ?? `${groups.slice(0, 4).join(':')}::/64`;
}

/**
 * Returns the /48 of an IPv6 address, or null for any other address. A site usually gets a /48, so a single
 * client may have 65,536 different /64 networks. A limit for a /48 must be higher than a limit for a /64,
 * because many subscribers can share a /48.
 */
export function siteOf(ip: string): string | null {
  const groups = groupsOf(ip.split('%', 1)[0] ?? '');
  if (groups === null || mappedAddress(groups) !== null) return null;
  return `${groups.slice(0, 3).join(':')}::/48`;
}

/** The eight groups of an IPv6 address in hexadecimal, or null for any other text. */
function groupsOf(address: string): readonly string[] | null {
  if (!isIPv6(address)) return null;
  // The URL parser normalizes every spelling of an address to one form.
  const [head = '', tail = ''] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::');
  const groups = head === '' ? [] : head.split(':');
  const after = tail === '' ? [] : tail.split(':');
  while (groups.length + after.length < 8) groups.push('0');
  return [...groups, ...after];
}

/** The IPv4 address in an IPv4-mapped IPv6 address, or null for any other address. */
function mappedAddress(groups: readonly string[]): string | null {
  if (groups.slice(0, 6).join(':') !== '0:0:0:0:0:ffff') return null;
  const bytes = groups.slice(6).flatMap((group) => {
    const value = Number.parseInt(group, 16);
    return [value >> 8, value & 0xff];
  });
  return bytes.join('.');
}
