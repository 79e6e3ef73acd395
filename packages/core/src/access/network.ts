import { isIPv6 } from 'node:net';

/**
 * Whom an address stands for where tries or requests are counted: an IPv6 address for its /64, which is what one
 * subscriber has, an IPv4 address for itself, also in the form that a dual-stack socket gives. All else is left as it is.
 */
export function networkOf(ip: string): string {
  const address = ip.replace(/%.*$/, '');
  if (!isIPv6(address)) return address;
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  // The URL parser writes each address in one form only.
  const [head = '', tail = ''] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::');
  const groups = head === '' ? [] : head.split(':');
  const after = tail === '' ? [] : tail.split(':');
  while (groups.length + after.length < 8) groups.push('0');
  return `${[...groups, ...after].slice(0, 4).join(':')}::/64`;
}
