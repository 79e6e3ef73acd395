import { isIPv6 } from 'node:net';

/**
 * Returns the key under which rate limits count an IP address. An IPv6 address becomes its /64, because one
 * subscriber has a whole /64. An IPv4 address stays the same. Its mapped form `::ffff:192.0.2.1`, which
 * dual-stack sockets report, becomes the IPv4 address. Other text is returned unchanged.
 */
export function networkOf(ip: string): string {
  const [address = ''] = ip.split('%', 1);
  if (!isIPv6(address)) return address;
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  // The URL parser normalizes every spelling of an address to one form.
  const [head = '', tail = ''] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::');
  const groups = head === '' ? [] : head.split(':');
  const after = tail === '' ? [] : tail.split(':');
  while (groups.length + after.length < 8) groups.push('0');
  return `${[...groups, ...after].slice(0, 4).join(':')}::/64`;
}
