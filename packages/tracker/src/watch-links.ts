import { configureLinker } from './config.ts';
import { LINK_PARAM, partnerCode, withParam } from './landing.ts';
import { describeBrowser, isLinked } from './linked-sites.ts';
import { attempt, documentProperty, listen, pageState } from './page.ts';
import type { StoredClick } from './store.ts';

/** About 58 days, for a click that is known only from the cookie. */
const DEFAULT_WINDOW_MS = 5e9;

/** The state of the tracker, as far as the linker uses it. */
interface LinkerState {
  /** Null without consent, too. */
  readonly clickId: string | null;
  readonly linker?: string;
  readonly click?: StoredClick;
}

/**
 * Adds the current click to a URL of a linked site. Returns undefined for any other URL, and without a click. The
 * tracker may start later than the linker.
 */
function passClick(url: string | null): string | undefined {
  const state = pageState[2] as (() => LinkerState) | undefined;
  if (!url || !state) return undefined;
  const { clickId, linker = '', click } = state();
  configureLinker(linker);
  const absolute = attempt(() => new URL(url, documentProperty('baseURI')).href);
  if (!clickId || !absolute || !isLinked(absolute)) return undefined;
  // The cookie may have the click of another host, whose window is not known here.
  const { till = 0, attribution_model } = click?.click_id === clickId ? click : {};
  const now = Date.now();
  const passed = [clickId, now, till || now + DEFAULT_WINDOW_MS, attribution_model, describeBrowser()];
  return withParam(absolute, LINK_PARAM, passed.join('.'));
}

/** The elements with a URL that they lead to, and the attributes that contain it. */
const USED = 'a,area,form,[formaction]';
const URL_ATTRIBUTES = ['href', 'xlink:href', 'action', 'formaction'];

/**
 * Adds the click to the URLs of a link, a form or a button. It reads attributes, because the fields of a form hide its
 * properties. Any other URL remains as the page wrote it.
 */
function decorateElement(target: EventTarget | null | undefined): void {
  if (!(target instanceof Element && target.matches(USED))) return;
  for (const name of URL_ATTRIBUTES) {
    const passed = passClick(target.getAttribute(name));
    if (passed) target.setAttribute(name, passed);
  }
}

/** The button of the last submission. Its attributes override those of its form. */
let button: HTMLElement | null | undefined;

/** A GET form replaces the query of its action with its fields, which only `formdata` provides. */
function decorateFields({ formData, target }: FormDataEvent): void {
  const form = target as Element;
  const attribute = (name: string) => button?.getAttribute(`form${name}`) || form.getAttribute(name);
  const passed = passClick(attribute('action'));
  if (passed && !/^(post|dialog)$/i.test(attribute('method') || ''))
    formData.set(LINK_PARAM, partnerCode(passed, LINK_PARAM) as string);
}

/** Decorates the element before its method is called, because the method dispatches no event on the window. */
function decorateBefore<T extends Element>(prototype: T, name: keyof T): void {
  const original = prototype[name] as () => void;
  prototype[name] = function (this: T) {
    button = null;
    decorateElement(this);
    original.call(this);
  } as T[typeof name];
}

/** Adds the click to links and forms when they are used. Further calls on the page do nothing. */
export function watchLinks(): void {
  if (pageState[3]) return;
  pageState[3] = (url) => passClick(url) || url;
  listen('mousedown touchstart click submit', (event) => {
    button = (event as SubmitEvent).submitter;
    [button, ...event.composedPath()].map(decorateElement);
  });
  listen('formdata', (event) => decorateFields(event as FormDataEvent));
  // A link outside the document dispatches its `click` only on itself, and `submit()` dispatches no `submit`.
  decorateBefore(HTMLAnchorElement.prototype, 'click');
  decorateBefore(HTMLFormElement.prototype, 'submit');
}
