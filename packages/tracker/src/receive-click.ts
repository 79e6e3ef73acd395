import { isGranted } from './consent.ts';
import { isClickId } from './cookie.ts';
import { LINK_PARAM, partnerCode, withParam } from './landing.ts';
import { describeBrowser, isLinked } from './linked-sites.ts';
import { documentProperty, isRecent } from './page.ts';
import type { StoredClick } from './store.ts';
import { currentClick, storeClick } from './stored-click.ts';

const VALID_MS = 120_000;

/**
 * Stores a click that a linked site has passed to this page, and removes it from the address bar. The linked
 * site is identified by the referrer, so a click without a referrer is rejected. The current click is replaced
 * only if its program is known to use `last_click`, and only by a later click. The other site may still have the
 * click of an earlier visit, or may pass back the current click, of which more is known here.
 */
export function receiveClick(): void {
  const { href } = location;
  const value = partnerCode(href, LINK_PARAM);
  if (value && isGranted) {
    history.replaceState(history.state, '', withParam(href, LINK_PARAM));
    // If fields are missing, the checks below fail, because comparisons with NaN are false.
    const [click_id, at, till, attribution_model, browser] = value.split('.') as string[] & { 0: string };
    const current = currentClick();
    const isValid =
      browser === describeBrowser() &&
      isRecent(at as unknown as number, VALID_MS) &&
      isClickId(click_id) &&
      isLinked(documentProperty('referrer')) &&
      (!current.click_id ||
        // The time of the other visit is not passed, so compare the ends of the attribution windows.
        (current.attribution_model === 'last_click' &&
          (till as unknown as number) > (current.till as number)));
    if (isValid)
      storeClick({ at: Number(at), click_id, till: Number(till), attribution_model } as StoredClick, current);
  }
}
