import type { LookupAddress, LookupOptions } from 'node:dns';
import { lookup, Resolver } from 'node:dns/promises';
import type { LookupFunction, TcpNetConnectOpts } from 'node:net';
import { type AllowedHosts, addressInUrl, isAllowedHost } from './endpoint-url.ts';
import { isPublicAddress } from './public-address.ts';

/** Returns all addresses of a host. Throws if it has none. */
export type ResolveHost = (hostname: string) => Promise<readonly string[]>;

const DNS_TIMEOUT_MS = 3_000;
const DNS_TRIES = 2;
/**
 * The maximum time for a connection to one address of a host, before the next address is tried. Node's default of
 * 250 ms is less than a round trip to another continent. If the server has no IPv6, a host with both kinds of addresses
 * would then never be reached. Two seconds also allow the system to repeat a lost packet.
 */
const MAX_ADDRESS_TIMEOUT_MS = 2_000;
const MIN_ADDRESS_TIMEOUT_MS = 250;
/**
 * The time for all addresses. It is less than the duration of an attempt, so that the last address can still answer.
 */
const ALL_ADDRESSES_TIMEOUT_MS = 10_000;

/** Thrown when webhooks must not be sent to a host because of its addresses. */
class AddressNotAllowed extends Error {
  override readonly name = 'AddressNotAllowed';
}

/**
 * Resolves a host on the internet without the thread pool, so that slow name servers do not delay file access and
 * password hashing. The file `hosts` and search domains are ignored.
 */
const resolvePublicHost: ResolveHost = async (hostname) => {
  const resolver = new Resolver({ timeout: DNS_TIMEOUT_MS, tries: DNS_TRIES });
  const results = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
  const addresses = results.flatMap((result) => (result.status === 'fulfilled' ? result.value : []));
  const [failure] = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
  if (addresses.length === 0) throw failure ?? new Error(`${hostname} has no address`);
  return addresses;
};

/** Resolves a host that the operator allows. Uses the system resolver, like other software on the machine. */
const resolveAllowedHost: ResolveHost = async (hostname) =>
  (await lookup(hostname, { all: true })).map(({ address }) => address);

/**
 * Resolves the host of a URL once, and checks all addresses. The connection must use only the returned
 * addresses, because another lookup may return other addresses.
 * @throws AddressNotAllowed if one of the addresses is not public, and the host is not allowed
 */
export async function resolveEndpoint(
  url: URL,
  allowed: AllowedHosts,
  resolve: ResolveHost = resolvePublicHost,
): Promise<readonly string[]> {
  const literal = addressInUrl(url);
  if (isAllowedHost(allowed, url))
    return literal === null ? await resolveAllowedHost(url.hostname) : [literal];
  if (url.protocol !== 'https:') throw new AddressNotAllowed('The URL must begin with https://.');
  const addresses = literal === null ? await resolve(url.hostname) : [literal];
  // The message must not contain the address, because it may reveal a host in the operator's network.
  if (addresses.length === 0 || !addresses.every(isPublicAddress))
    throw new AddressNotAllowed(`${url.hostname} has an address that is not on the internet.`);
  return addresses;
}

/**
 * Checks whether webhooks may be sent to a URL, without sending one.
 * @returns the reason why webhooks cannot or must not be sent to the URL, or null when they may be sent
 */
export async function whyEndpointUnreachable(
  url: string,
  allowed: AllowedHosts,
  resolve?: ResolveHost,
): Promise<string | null> {
  const target = new URL(url);
  try {
    await resolveEndpoint(target, allowed, resolve);
    return null;
  } catch (error) {
    if (error instanceof AddressNotAllowed) return error.message;
    return `${target.hostname} was not found in DNS.`;
  }
}

/** Returns the options of a socket that connects only to the given addresses, one after the other. */
export function pinnedConnection(
  addresses: readonly string[],
): Pick<TcpNetConnectOpts, 'lookup' | 'autoSelectFamilyAttemptTimeout'> {
  const share = Math.floor(ALL_ADDRESSES_TIMEOUT_MS / Math.max(1, addresses.length));
  const timeout = Math.min(MAX_ADDRESS_TIMEOUT_MS, Math.max(MIN_ADDRESS_TIMEOUT_MS, share));
  return { lookup: pinnedLookup(addresses), autoSelectFamilyAttemptTimeout: timeout };
}

/** Returns a `lookup` function for sockets that returns only the given addresses. */
export function pinnedLookup(addresses: readonly string[]): LookupFunction {
  const found: LookupAddress[] = addresses.map((address) => ({
    address,
    family: address.includes(':') ? 6 : 4,
  }));
  return (_hostname: string, options: LookupOptions, callback) => {
    const usable = found.filter(({ family }) => !options.family || options.family === family);
    const [first] = usable;
    if (!first) callback(new Error('The host has no address of this family'), '');
    else if (options.all) callback(null, usable);
    else callback(null, first.address, first.family);
  };
}
