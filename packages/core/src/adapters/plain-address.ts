/**
 * The address alone: some proxies forward it with the client's port, which would make each connection a client of
 * its own, and a dual-stack socket reports an IPv4 address as IPv6.
 */
export function plainAddress(ip: string): string {
  const [, v4, v6] = /^(?:(\d+(?:\.\d+){3}):\d+|\[([\da-f:.]+)\](?::\d+)?)$/i.exec(ip) ?? [];
  return (v4 ?? v6 ?? ip).replace(/^::ffff:(?=\d+\.)/i, '');
}
