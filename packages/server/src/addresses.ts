import { BlockList, isIP } from 'node:net';
import type { ServerConfig } from './config.ts';

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK.addAddress('::1', 'ipv6');

const PRIVATE = new BlockList();
for (const [network, bits] of [
  ['10.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
  ['169.254.0.0', 16],
] as const) {
  PRIVATE.addSubnet(network, bits, 'ipv4');
}
PRIVATE.addSubnet('fc00::', 7, 'ipv6');
PRIVATE.addSubnet('fe80::', 10, 'ipv6');

/** Is it this machine? Also in the form that a dual-stack socket gives. */
export function isLoopback(ip: string): boolean {
  return isListed(LOOPBACK, ip);
}

/** Is it this machine, or one of a network that the internet can't reach? */
export function isLocal(ip: string): boolean {
  return isListed(LOOPBACK, ip) || isListed(PRIVATE, ip);
}

/** Does the peer seem to be a proxy that nobody configured? All visitors then have its address. */
export function isHiddenProxy(
  peer: { readonly ip: string | null; readonly isForwarding: boolean },
  trustProxy: ServerConfig['trustProxy'],
): boolean {
  return trustProxy === false && peer.isForwarding && (peer.ip === null || isLocal(peer.ip));
}

function isListed(list: BlockList, ip: string): boolean {
  const address = ip.replace(/%.*$/, '');
  const family = isIP(address);
  return family !== 0 && list.check(address, family === 4 ? 'ipv4' : 'ipv6');
}
