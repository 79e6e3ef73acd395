import { linker } from './config.ts';
import { attempt } from './page.ts';

/** Returns the host of a URL: lower case, Punycode, without port and trailing dot; `''` if there is none. */
const hostOf = (url: string) => attempt(() => new URL(url).hostname.replace(/\.$/, '')) || '';

/** Whether an absolute URL leads to another site of the option `linker`. */
export function isLinked(url: string): boolean | '' {
  const host = hostOf(url);
  // No host ends with a dot, so an empty entry matches none.
  return (
    host &&
    host !== hostOf(location.href) &&
    linker.split(/[\s,]+/).some((entry) => `.${host}`.endsWith(`.${hostOf(`http://${entry}`)}`))
  );
}

/**
 * Returns a fingerprint of this browser: the numbers in its user agent, and its language. If a link is copied to
 * another browser, the fingerprints differ, and the click is not passed. The fingerprint is not secret: any page in
 * this browser can compute it.
 */
export const describeBrowser = () => navigator.userAgent.replace(/\D/g, '') + navigator.language;
