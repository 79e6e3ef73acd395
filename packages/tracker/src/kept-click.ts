import type { ClickTracked } from '@affkit/protocol';
import { type BareClick, currentClick, keptClick } from './attribution.ts';
import { type Context, say } from './context.ts';
import { readCookie, widestDomain, writeCookie } from './cookie.ts';
import { clear, read, type StoredClick, update } from './store.ts';

/** The current click; empty without one, only an id when nothing but the cookie knows it. */
export function current(context: Context): StoredClick | BareClick<StoredClick> {
  return currentClick(readCookie(context.win, context.config.cookieName), read(context).click);
}

/** Keeps an answered click, unless a later one stands already. A cookie set by the server is left alone. */
export function keep(context: Context, answer: ClickTracked, at: number): void {
  const before = current(context);
  const click = keptClick(answer, at, before);
  if (!click) return;
  const { cookieName, cookieDomain } = context.config;
  const isOwnCookie =
    readCookie(context.win, cookieName) !== click.id || (before.id === click.id && !!before.isOwnCookie);
  const wanted = cookieDomain || before.domain || widestDomain(context.win);
  const stored = { ...click, isOwnCookie, domain: wanted === 'host' ? '' : wanted };
  if (isOwnCookie) writeClick(context, stored);
  update(context, (saved) => {
    saved.click = stored;
  });
}

/** Writes the tracker's own cookie again for the time that remains: some browsers shorten its life. */
export function renew(context: Context): void {
  const click = current(context);
  if (click.isOwnCookie) writeClick(context, click);
}

/** Forgets the click, the landings and the jobs. */
export function forget(context: Context): void {
  const { cookieName, cookieDomain } = context.config;
  writeCookie(context.win, cookieName, '', 0);
  writeCookie(
    context.win,
    cookieName,
    '',
    0,
    current(context).domain || cookieDomain || widestDomain(context.win),
  );
  clear(context);
}

function writeClick(context: Context, { id, expiresAt, domain }: StoredClick): void {
  const { win, config } = context;
  const name = config.cookieName;
  const seconds = Math.round((expiresAt - Date.now()) / 1000);
  // A cookie of this host alone would hide the wider one.
  if (domain) writeCookie(win, name, '', 0);
  if (domain && writeCookie(win, name, id, seconds, domain)) return;
  const isWritten = writeCookie(win, name, id, seconds);
  say(context, isWritten ? 'cookie: this host alone' : 'cookie: refused by the browser');
}
