import { BlockList, isIP } from 'node:net';

/**
 * The IPv4 networks that webhooks must not reach: those of the IANA IPv4 Special-Purpose Address Registry, the
 * multicast network, and an address of Azure.
 */
const IPV4_SPECIAL: readonly (readonly [network: string, prefix: number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  // The metadata service of Azure.
  ['168.63.129.16', 32],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.31.196.0', 24],
  ['192.52.193.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['192.175.48.0', 24],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
];

/**
 * The special networks within 2000::/3, from the IANA IPv6 Special-Purpose Address Registry: protocol assignments
 * with Teredo and ORCHID, documentation, 6to4, and AS112.
 */
const IPV6_SPECIAL: readonly (readonly [network: string, prefix: number])[] = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['2620:4f:8000::', 48],
  ['3fff::', 20],
];

const special = new BlockList();
for (const [network, prefix] of IPV4_SPECIAL) special.addSubnet(network, prefix, 'ipv4');
for (const [network, prefix] of IPV6_SPECIAL) special.addSubnet(network, prefix, 'ipv6');

/**
 * The network that contains all public IPv6 addresses. Private, loopback, multicast, IPv4-mapped, and NAT64 addresses
 * are outside of it.
 */
const unicast = new BlockList();
unicast.addSubnet('2000::', 3, 'ipv6');

/** Whether the text is an IP address that anyone on the internet may reach. */
export function isPublicAddress(address: string): boolean {
  switch (isIP(address)) {
    case 4:
      return !special.check(address, 'ipv4');
    case 6:
      // An address with a zone belongs to an interface of this machine.
      return !address.includes('%') && unicast.check(address, 'ipv6') && !special.check(address, 'ipv6');
    default:
      return false;
  }
}
