import { isIP } from 'node:net';
import { MAX_URL_LENGTH } from '@affkit/protocol';
import { isPublicAddress } from './public-address.ts';

/**
 * The hosts of `webhookAllowHosts`, each with or without a port. They may have private addresses, and may be
 * reached with http.
 */
export type AllowedHosts = readonly string[];

export function isAllowedHost(allowed: AllowedHosts, url: URL): boolean {
  const port = url.port === '' ? (url.protocol === 'https:' ? '443' : '80') : url.port;
  return allowed.includes(url.hostname) || allowed.includes(`${url.hostname}:${port}`);
}

/**
 * Whether the text is a valid entry of `webhookAllowHosts`. It must be a host in exactly the form that the URL parser
 * returns.
 */
export function isHostEntry(entry: unknown): boolean {
  if (typeof entry !== 'string' || entry === '') return false;
  // The URL parser removes the default port of a scheme. It therefore keeps port 80 only in an https URL, and
  // port 443 only in an http URL.
  return ['http', 'https'].some((scheme) => {
    const text = `${scheme}://${entry}/`;
    if (!URL.canParse(text)) return false;
    const { host, username, password, pathname, search, hash } = new URL(text);
    return host === entry && username + password + search + hash === '' && pathname === '/';
  });
}

/**
 * Checks the URL of an endpoint as far as this is possible without a DNS lookup.
 * @returns the fault of the URL, or null
 */
export function findUrlFault(text: string, allowed: AllowedHosts): string | null {
  if (text.length > MAX_URL_LENGTH) return `url must be at most ${MAX_URL_LENGTH} characters`;
  if (!URL.canParse(text)) return 'url must be a URL, such as https://shop.example/webhooks';
  const url = new URL(text);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'url must begin with https://';
  if (url.username !== '' || url.password !== '') return 'url must not contain a user name or password';
  if (url.hash !== '') return 'url must not contain a fragment';
  if (isAllowedHost(allowed, url)) return null;
  if (url.protocol !== 'https:') return 'url must begin with https://';
  const address = addressInUrl(url);
  if (address !== null && !isPublicAddress(address)) {
    return 'url must not contain a private, local, or reserved IP address';
  }
  if (address === null && isLocalName(url.hostname)) return 'url must name a host on the internet';
  return null;
}

/** Returns the host of the URL if it is an IP address, or null. The URL parser has already normalized the address. */
export function addressInUrl({ hostname }: URL): string | null {
  const address = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
  return isIP(address) === 0 ? null : address;
}

/** Whether only a local network can resolve the name. Other names are checked when they are resolved. */
function isLocalName(hostname: string): boolean {
  const name = hostname.endsWith('.') ? hostname.slice(0, -1) : hostname;
  return !name.includes('.') || name.endsWith('.localhost') || name.endsWith('.local');
}
