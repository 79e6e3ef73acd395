import { BlockList, isIP } from 'node:net';
import type { ServerConfig } from './config.ts';

const LOOPBACK_NETWORKS = new BlockList();
LOOPBACK_NETWORKS.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK_NETWORKS.addAddress('::1', 'ipv6');

const PRIVATE_NETWORKS = new BlockList();
for (const [network, bits] of [
  ['10.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
  ['169.254.0.0', 16],
  // Shared address space (RFC 6598). Some hosting providers use it for their own proxies.
  ['100.64.0.0', 10],
] as const) {
  PRIVATE_NETWORKS.addSubnet(network, bits, 'ipv4');
}
PRIVATE_NETWORKS.addSubnet('fc00::', 7, 'ipv6');
PRIVATE_NETWORKS.addSubnet('fe80::', 10, 'ipv6');

/**
 * Whether the address is a loopback, private, shared or link-local address. IPv4-mapped addresses are
 * supported.
 */
export function isLocal(ip: string): boolean {
  return isInBlockList(LOOPBACK_NETWORKS, ip) || isInBlockList(PRIVATE_NETWORKS, ip);
}

/**
 * Whether the peer looks like a proxy although `TRUST_PROXY` is off. If the server used the address of the peer,
 * all visitors would have the same address.
 */
export function isUnconfiguredProxy(
  peer: { readonly ip: string | null; readonly isForwarding: boolean },
  trustProxy: ServerConfig['trustProxy'],
): boolean {
  return trustProxy === false && peer.isForwarding && (peer.ip === null || isLocal(peer.ip));
}

function isInBlockList(list: BlockList, ip: string): boolean {
  const [address = ''] = ip.split('%', 1);
  const family = isIP(address);
  return family !== 0 && list.check(address, family === 4 ? 'ipv4' : 'ipv6');
}
