import { linker } from './config.ts';
import { LINK_PARAM, partnerCode, withParam } from './landing.ts';
import { attempt, debugLog, listen } from './page.ts';
import { currentClick, storeClick } from './stored-click.ts';

const VALID_MS = 120_000;
const DEFAULT_WINDOW_MS = 60 * 86_400_000;

function isLinked(url: string): boolean {
  const { hostname } = new URL(url);
  return (
    hostname !== location.hostname && linker.split(/,\s*/).some((host) => `.${hostname}`.endsWith(`.${host}`))
  );
}

/** @returns the value of `LINK_PARAM` for a linked site, else a falsy value */
function createLinkValue(url: string): string | false | undefined {
  const click = currentClick();
  return (
    click.click_id &&
    isLinked(url) &&
    `${click.click_id}.${Date.now()}.${click.till || Date.now() + DEFAULT_WINDOW_MS}`
  );
}

/** Adds the current click to a URL of a linked site. Returns any other string unchanged. */
export function decorate(url: string): string {
  return (
    attempt(() => {
      const value = createLinkValue(url);
      return value && withParam(url, LINK_PARAM, value);
    }) || url
  );
}

/** Decorates links and forms when they are used. */
export function watchLinks(): void {
  listen('mousedown touchstart keydown', (event) => {
    for (const link of event.composedPath() as HTMLAnchorElement[]) {
      const url = decorate(link.href);
      // Assigning an undecorated `href` would make a relative one absolute, and add one to other elements.
      if (url !== link.href) link.href = url;
    }
  });
  listen('submit formdata', (event) =>
    attempt(() => {
      const form = event.target as HTMLFormElement;
      const value = createLinkValue(form.action);
      if (!value) return;
      // A GET form replaces the query of its action with its fields, which only `formdata` provides.
      const { formData } = event as FormDataEvent;
      if (form.method !== 'get') form.action = withParam(form.action, LINK_PARAM, value);
      else if (formData) formData.set(LINK_PARAM, value);
    }),
  );
}

/** Stores a click that a linked site has passed on, and removes it from the address bar. */
export function receiveClick(): void {
  const { href } = location;
  const value = partnerCode(href, LINK_PARAM);
  if (!value) return;
  history.replaceState(history.state, '', withParam(href, LINK_PARAM));
  const [, click_id, at, till] = /^([\w-]+)\.(\d+)\.(\d+)$/.exec(value) || [];
  const isValid =
    click_id && Math.abs(Date.now() - Number(at)) < VALID_MS && attempt(() => isLinked(document.referrer));
  if (isValid) storeClick({ click_id, at: Number(at), till: Number(till) });
  debugLog('link', isValid);
}
