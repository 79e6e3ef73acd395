import type { ClientDescription } from '../../describe-client.ts';
import { type Finding, ok, problem, warning } from './finding.ts';

/** An address that no client has (RFC 5737). The doctor sends it in `X-Forwarded-For`, as a forger would. */
export const PROBE_ADDRESS = '192.0.2.1';

/**
 * Checks `TRUST_PROXY` and the headers that proxies set. `client` describes a request as the server saw it. The doctor
 * sent this request with `PROBE_ADDRESS` in `X-Forwarded-For`. Proxies added all addresses after `PROBE_ADDRESS`. The
 * first added address is that of the doctor. If none was added on plain http, the doctor is assumed to be the direct
 * peer.
 */
export function judgeProxies(client: ClientDescription, publicUrl: string): Finding[] {
  const { forwarded_for: forwarded, client_ip: ip, secure, host } = client;
  const added = forwarded.slice(forwarded.lastIndexOf(PROBE_ADDRESS) + 1);
  const { protocol, host: publicHost } = new URL(publicUrl);
  const isSecure = protocol === 'https:';
  return [
    // The server itself speaks only http, so https means that there is a proxy.
    isSecure && added.length === 0 ? noForwardedFor() : judgeTrust(ip, [...added, client.peer_ip ?? '']),
    ...(isSecure && !secure ? [noForwardedProto()] : []),
    ...(host === publicHost ? [] : [changedHost(host, publicHost)]),
  ];
}

/** @param path the addresses on the way from the doctor to the server; all except the first are proxies */
function judgeTrust(ip: string | null, path: readonly string[]): Finding {
  const check = 'server.proxies';
  const proxies = path.length - 1;
  const count = proxies === 1 ? '1 proxy' : `${proxies} proxies`;
  const advice = `Set TRUST_PROXY=${proxies} if visitors come through the same ${count} as this command.`;
  if (ip === PROBE_ADDRESS) {
    return problem(
      check,
      `The server accepts a forged client address. TRUST_PROXY is too high for ${count}, so clients can forge their address and avoid rate limits.`,
      advice,
    );
  }
  // This command sends X-Forwarded-For itself. If TRUST_PROXY is off, the server assumes that a private or loopback
  // address that sends this header is a proxy. It then treats the address of the client as unknown.
  const isDirect = proxies === 0 && ip === null;
  if (isDirect) return ok(check, 'There is no proxy, and the server ignores forged addresses.');
  if (ip === path[0]) return ok(check, `The server sees the address of the client (${ip}) through ${count}.`);
  return problem(
    check,
    `The server sees ${ip === null ? 'no address' : `the address ${ip}`} instead of ${path[0]}. TRUST_PROXY is too low for ${count}, so all visitors share a rate limit and have no location.`,
    advice,
  );
}

function noForwardedFor(): Finding {
  return problem(
    'server.proxies',
    'The proxy that terminates TLS does not add the address of the client to X-Forwarded-For. The server sees only the address of the proxy, or an address that the client has made up.',
    'Let the proxy set X-Forwarded-For, in nginx with: proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;',
  );
}

function noForwardedProto(): Finding {
  return problem(
    'server.https',
    'The server does not know that clients use https, so it sets cookies without Secure.',
    'Set TRUST_PROXY, and let the proxy set X-Forwarded-Proto, in nginx with: proxy_set_header X-Forwarded-Proto $scheme;',
  );
}

function changedHost(host: string | null, publicHost: string): Finding {
  return warning(
    'server.host',
    `The proxy changes the Host header from ${publicHost} to ${host ?? '(none)'}, so the server cannot set its cookie for your domain.`,
    'Let the proxy pass the header, in nginx with: proxy_set_header Host $host;',
  );
}
