import type { Request } from 'express';
import { z } from 'zod';

/** What the server knows about the sender of a request. The values depend on the proxies and on `TRUST_PROXY`. */
export const clientDescription = z.object({
  success: z.literal(true),
  client_ip: z.string().nullable().describe('The IP address of the client. Null if it is unknown.'),
  peer_ip: z.string().nullable().describe('The other end of the connection: the client, or the last proxy.'),
  forwarded_for: z
    .array(z.string())
    .describe('The addresses in `X-Forwarded-For`, in order. The last proxy added the last address.'),
  secure: z.boolean().describe('Whether the client uses https.'),
  host: z.string().nullable().describe('The `Host` of the request.'),
});

export type ClientDescription = z.output<typeof clientDescription>;

/** @param ip the address that the server uses for limits and locations */
export function describeClient(request: Request, ip: string | null): ClientDescription {
  const header = request.get('x-forwarded-for') ?? '';
  const addresses = header.split(',').map((address) => address.trim());
  return {
    success: true,
    client_ip: withoutIpv4Prefix(ip),
    peer_ip: withoutIpv4Prefix(request.socket.remoteAddress ?? null),
    forwarded_for: addresses.filter((address) => address !== ''),
    secure: request.secure,
    host: request.get('host') ?? null,
  };
}

/** A socket that accepts IPv4 and IPv6 writes IPv4 addresses as `::ffff:192.0.2.1`. */
function withoutIpv4Prefix(ip: string | null): string | null {
  return ip === null ? null : ip.replace(/^::ffff:/, '');
}
