import { linker } from './config.ts';
import { attempt } from './page.ts';

/**
 * Returns the host of a URL in lower case and Punycode, without port and trailing dot. Returns `''` if there
 * is no host.
 */
const hostOf = (url: string) => attempt(() => new URL(url).hostname.replace(/\.$/, '')) || '';

/** Whether an absolute URL leads to another site that the option `linker` lists. */
export function isLinked(url: string): boolean | '' {
  const host = hostOf(url);
  // For an empty entry, the suffix is `.`, which matches nothing, because no host ends with a dot.
  return (
    host &&
    host !== hostOf(location.href) &&
    (linker as string).split(/[\s,]+/).some((entry) => `.${host}`.endsWith(`.${hostOf(`http://${entry}`)}`))
  );
}

/**
 * Returns a fingerprint of this browser. It consists of the numbers in the user agent, and the language. If a
 * link is copied to another browser, the fingerprints differ, and the click is not passed. The fingerprint is
 * not secret, because any page in this browser can compute it.
 */
export const describeBrowser = () => navigator.userAgent.replace(/\D/g, '') + navigator.language;
