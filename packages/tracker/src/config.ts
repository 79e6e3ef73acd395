import type { CLICK_COOKIE, PARTNER_PARAM } from '@affkit/protocol';

const defaultCookie: typeof CLICK_COOKIE = 'service_click_id';
const defaultParam: typeof PARTNER_PARAM = 'aff';

/** Settings of a tracker. The script reads the same ones from the `data-` attributes of its tag. */
export interface TrackerOptions {
  /** Address of the tracking server, or of a path of the site that proxies it, e.g. `/t`. */
  baseUrl: string;
  /** Query parameter of the landing URL that carries the partner's code. @default 'aff' */
  param?: string | undefined;
  /** First-party cookie that keeps the click id. @default 'service_click_id' */
  cookieName?: string | undefined;
  /**
   * Domain of the cookie, or `host` for a cookie of this host alone.
   * @default the widest domain of the page that the browser lets a cookie be set on
   */
  cookieDomain?: string | undefined;
  /** Track the landing without being asked. @default true */
  auto?: boolean | undefined;
  /** One console line for each decision. `?affkit_debug` in the page's URL turns it on too. @default false */
  debug?: boolean | undefined;
}

/** Options with every default filled in. `baseUrl` has no slash at its end; `cookieDomain` may be empty. */
export type Config = { [K in keyof TrackerOptions]-?: NonNullable<TrackerOptions[K]> };

/** The options, or attributes of the same names: `data-debug` is on, `data-auto="false"` off. */
export function configure(
  options: { readonly [K in keyof TrackerOptions]?: TrackerOptions[K] | string },
  pageUrl: string,
): Config {
  const { baseUrl, param, cookieName, cookieDomain, auto, debug = false } = options;
  return {
    baseUrl: `${baseUrl}`.replace(/\/+$/, ''),
    param: param || defaultParam,
    cookieName: cookieName || defaultCookie,
    cookieDomain: cookieDomain || '',
    auto: `${auto}` !== 'false',
    debug: `${debug}` !== 'false' || /[?&]affkit_debug\b/.test(pageUrl),
  };
}
