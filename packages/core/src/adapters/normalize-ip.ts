/**
 * Removes a port and the IPv4-mapped IPv6 prefix from an IP address. Some proxies append the client's port. With
 * the port, each connection would look like a different client. Dual-stack sockets report IPv4 addresses in the
 * IPv4-mapped form.
 */
export function normalizeIp(ip: string): string {
  const [, v4, v6] = /^(?:(\d+(?:\.\d+){3}):\d+|\[([\da-f:.]+)\](?::\d+)?)$/i.exec(ip) ?? [];
  return (v4 ?? v6 ?? ip).replace(/^::ffff:(\d+\.)/i, '$1');
}
