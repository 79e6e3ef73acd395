import { linker } from './config.ts';
import { current, keep } from './kept-click.ts';
import { LINK_PARAM, partnerCode, withParam } from './landing.ts';
import { attempt, listen, say } from './page.ts';

const VALID_MS = 120_000;
const DEFAULT_WINDOW_MS = 60 * 86_400_000;

function isLinked(url: string): boolean {
  const { hostname } = new URL(url);
  return (
    hostname !== location.hostname && linker.split(/,\s*/).some((host) => `.${hostname}`.endsWith(`.${host}`))
  );
}

function handover(url: string): string | false | undefined {
  const click = current();
  return (
    click.click_id &&
    isLinked(url) &&
    `${click.click_id}.${Date.now()}.${click.till || Date.now() + DEFAULT_WINDOW_MS}`
  );
}

/** `url` with the current click where it leads to one of the hosts; else, and when it is no URL, as it is. */
export function decorate(url: string): string {
  return (
    attempt(() => {
      const value = handover(url);
      return value && withParam(url, LINK_PARAM, value);
    }) || url
  );
}

/** Decorates links and forms at the moment they are used. */
export function watchLinks(): void {
  listen('mousedown touchstart keydown', (event) => {
    for (const link of event.composedPath() as HTMLAnchorElement[]) {
      const url = decorate(link.href);
      // A relative one is left as the page has it, and so is what is no link.
      if (url !== link.href) link.href = url;
    }
  });
  listen('submit formdata', (event) =>
    attempt(() => {
      const form = event.target as HTMLFormElement;
      const value = handover(form.action);
      if (!value) return;
      // A GET form replaces the query of its address by its fields, which are there at `formdata` alone.
      const { formData } = event as FormDataEvent;
      if (form.method !== 'get') form.action = withParam(form.action, LINK_PARAM, value);
      else if (formData) formData.set(LINK_PARAM, value);
    }),
  );
}

/** Takes the click that one of the hosts has handed over, and cleans the address bar. */
export function receive(): void {
  const { href } = location;
  const value = partnerCode(href, LINK_PARAM);
  if (!value) return;
  history.replaceState(history.state, '', withParam(href, LINK_PARAM));
  const [, click_id, at, till] = /^([\w-]+)\.(\d+)\.(\d+)$/.exec(value) || [];
  const isTaken =
    click_id && Math.abs(Date.now() - Number(at)) < VALID_MS && attempt(() => isLinked(document.referrer));
  if (isTaken) keep({ click_id, at: Number(at), till: Number(till) });
  say('link', isTaken);
}
