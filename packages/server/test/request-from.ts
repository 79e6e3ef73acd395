import type { HttpRequest } from '@affkit/core';

/** Returns a click from an IP address. */
export function requestFrom(ip: string | null, headers: Record<string, string> = {}): HttpRequest {
  return {
    method: 'POST',
    path: '/api/v1/track/click',
    query: new URLSearchParams(),
    header: (name) => headers[name],
    body: async () => new Uint8Array(),
    ip,
    secure: false,
  };
}
