/**
 * Removes a port and the IPv4-mapped IPv6 prefix from an IP address. Some proxies forward the address with
 * the client's port, which would make each connection look like a different client. Dual-stack sockets report
 * IPv4 addresses as IPv6.
 */
export function normalizeIp(ip: string): string {
  const [, v4, v6] = /^(?:(\d+(?:\.\d+){3}):\d+|\[([\da-f:.]+)\](?::\d+)?)$/i.exec(ip) ?? [];
  return (v4 ?? v6 ?? ip).replace(/^::ffff:(\d+\.)/i, '$1');
}
