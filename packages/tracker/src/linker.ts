import { linker } from './config.ts';
import { isGranted } from './consent.ts';
import { isClickId } from './cookie.ts';
import { LINK_PARAM, partnerCode, withParam } from './landing.ts';
import { attempt, documentProperty, listen } from './page.ts';
import type { StoredClick } from './store.ts';
import { currentClick, storeClick } from './stored-click.ts';

const VALID_MS = 120_000;
/** About 58 days, for a click that is known only from the cookie. */
const DEFAULT_WINDOW_MS = 5e9;

/** Returns the host of a URL: lower case, Punycode, without port and trailing dot; `''` if there is none. */
const hostOf = (url: string) => attempt(() => new URL(url).hostname.replace(/\.$/, '')) || '';

function isLinked(url: string): boolean | '' {
  const host = hostOf(url);
  // No host ends with a dot, so an empty entry matches none.
  return (
    host &&
    host !== hostOf(location.href) &&
    linker.split(/[\s,]+/).some((entry) => `.${host}`.endsWith(`.${hostOf(`http://${entry}`)}`))
  );
}

/**
 * A fingerprint of this browser: the numbers in its user agent, and its language. A link that is copied to
 * another browser therefore passes no click. The fingerprint is not secret: any page in this browser can
 * compute it.
 */
const describeBrowser = () => navigator.userAgent.replace(/\D/g, '') + navigator.language;

/** Adds the current click to a URL of a linked site. Returns any other string unchanged. */
export function decorate(url: string): string {
  const { click_id, till, attribution_model } = currentClick();
  return click_id && isGranted() && isLinked(url)
    ? withParam(
        url,
        LINK_PARAM,
        [
          click_id,
          Date.now(),
          till || Date.now() + DEFAULT_WINDOW_MS,
          attribution_model,
          describeBrowser(),
        ].join('.'),
      )
    : url;
}

/** Decorates links and forms when they are used. */
export function watchLinks(): void {
  listen('mousedown touchstart keydown', (event) => {
    for (const link of event.composedPath() as HTMLAnchorElement[]) {
      const url = decorate(link.href);
      // Only a decorated `href` is assigned: an assignment makes a relative `href` absolute, and adds an
      // `href` to elements that have none.
      if (url !== link.href) link.href = url;
    }
  });
  listen('submit formdata', (event) => {
    const form = event.target as HTMLFormElement;
    const action = form.action;
    const url = decorate(action);
    if (url === action) return;
    // A GET form replaces the query of its action with its fields, which only `formdata` provides.
    const { formData } = event as FormDataEvent;
    if (form.method !== 'get') form.action = url;
    else if (formData) formData.set(LINK_PARAM, partnerCode(url, LINK_PARAM) as string);
  });
}

/**
 * Stores a click that a linked site has passed on, and removes it from the address bar. The referrer
 * identifies the linked site, so a click without a referrer is rejected. It never replaces a click of a
 * program with `first_click`.
 */
export function receiveClick(): void {
  const { href } = location;
  const value = partnerCode(href, LINK_PARAM);
  if (value && isGranted()) {
    history.replaceState(history.state, '', withParam(href, LINK_PARAM));
    // Missing fields fail the checks below: comparisons with NaN are false.
    const [click_id, at, till, attribution_model, browser] = value.split('.') as string[] & { 0: string };
    const current = currentClick();
    const isValid =
      browser === describeBrowser() &&
      isClickId(click_id) &&
      Math.abs(Date.now() - (at as unknown as number)) < VALID_MS &&
      isLinked(documentProperty('referrer')) &&
      !(current.click_id && current.attribution_model !== 'last_click');
    if (isValid)
      storeClick({ click_id, at: Number(at), till: Number(till), attribution_model } as StoredClick);
  }
}
