import { configureLinker } from './config.ts';
import { LINK_PARAM, partnerCode, withParam } from './landing.ts';
import { describeBrowser, isLinked } from './linked-sites.ts';
import { attempt, documentProperty, listen, pageState } from './page.ts';
import type { StoredClick } from './store.ts';

/** The window of a click that is known only from the cookie: about 58 days. */
const DEFAULT_WINDOW_MS = 5e9;

/** The part of the tracker's state that the linker uses. */
interface LinkerState {
  /** Null without a click or without consent. */
  readonly clickId: string | null;
  readonly linker?: string;
  readonly click?: StoredClick;
}

/**
 * Adds the current click to a URL of a linked site. Returns undefined for any other URL, and if there is no
 * click. Each call reads the tracker's state, because the tracker may start after the linker.
 */
function passClick(url: string | null): string | undefined {
  const state = pageState[2] as (() => LinkerState) | undefined;
  if (!url || !state) return undefined;
  const { clickId, linker = '', click } = state();
  configureLinker(linker);
  const absolute = attempt(() => new URL(url, documentProperty('baseURI')).href);
  if (!clickId || !absolute || !isLinked(absolute)) return undefined;
  // The cookie may contain the click of another host. The window of that click is not known here.
  const { till = 0, attribution_model } = click?.click_id === clickId ? click : {};
  const now = Date.now();
  const passed = [clickId, now, till || now + DEFAULT_WINDOW_MS, attribution_model, describeBrowser()];
  return withParam(absolute, LINK_PARAM, passed.join('.'));
}

/** The elements that contain a URL to open. */
const USED = 'a,area,form,[formaction]';
const URL_ATTRIBUTES = ['href', 'xlink:href', 'action', 'formaction'];

/**
 * Adds the click to the URLs of a link, a form or a button. It reads attributes, because form fields can hide
 * the properties of a form. URLs of other sites do not change.
 */
function decorateElement(target: EventTarget | null | undefined): void {
  if (!(target instanceof Element && target.matches(USED))) return;
  for (const name of URL_ATTRIBUTES) {
    const passed = passClick(target.getAttribute(name));
    if (passed) target.setAttribute(name, passed);
  }
}

/** The button of the last submission. Its attributes take precedence over those of its form. */
let button: HTMLElement | null | undefined;

/**
 * Adds the click to the fields of a GET form. When a GET form is submitted, the browser replaces the query of
 * its action with the fields. The fields can be changed only during the `formdata` event.
 */
function decorateFields({ formData, target }: FormDataEvent): void {
  const form = target as Element;
  const attribute = (name: string) => button?.getAttribute(`form${name}`) || form.getAttribute(name);
  const passed = passClick(attribute('action'));
  if (passed && !/^(post|dialog)$/i.test(attribute('method') || ''))
    formData.set(LINK_PARAM, partnerCode(passed, LINK_PARAM) as string);
}

/**
 * Wraps a method so that it first adds the click to its element. Without the wrapper, some calls would not add the
 * click, because they dispatch no event on the window, where the listeners are.
 */
function decorateBefore<T extends Element>(prototype: T, name: keyof T): void {
  const original = prototype[name] as () => void;
  prototype[name] = function (this: T) {
    button = null;
    decorateElement(this);
    original.call(this);
  } as T[typeof name];
}

/** Adds the click to links and forms when they are used. Later calls on the same page do nothing. */
export function watchLinks(): void {
  if (pageState[3]) return;
  pageState[3] = (url) => passClick(url) || url;
  listen('mousedown touchstart click submit', (event) => {
    button = (event as SubmitEvent).submitter;
    [button, ...event.composedPath()].map(decorateElement);
  });
  listen('formdata', (event) => decorateFields(event as FormDataEvent));
  // A link outside of the document dispatches `click` only on itself, and `submit()` dispatches no `submit` event. If
  // the page has made a method read-only, calls of this method do not add the click.
  attempt(() => decorateBefore(HTMLAnchorElement.prototype, 'click'));
  attempt(() => decorateBefore(HTMLFormElement.prototype, 'submit'));
}
