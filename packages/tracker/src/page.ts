import type { TrackerState } from './api.ts';
import { debug, isEnabled } from './config.ts';

/** On a page that is never idle, `idle` resolves after this time. */
const IDLE_TIMEOUT_MS = 1_000;

const slot: unique symbol = Symbol.for('affkit');

declare global {
  interface Window {
    /**
     * The state that all trackers of the page share. It contains the entries that localStorage has rejected, the
     * pending requests, the `debug` function of the tracker with the option `linker`, and the linker's `decorate`
     * function.
     */
    [slot]?: [
      Record<string, string>,
      Record<string, Promise<unknown>>,
      (() => TrackerState)?,
      ((url: string) => string)?,
    ];
  }
}

/** The entries that localStorage has rejected. */
export let memory: Record<string, string>;
/**
 * The requests that are waiting for a reply, by the `key` of their job. The object also contains all visits of this
 * page by their URL, even after they have ended.
 */
export let inFlight: Record<string, Promise<unknown>>;
export let pageState: NonNullable<Window[typeof slot]>;

/**
 * Finds or creates the shared state. The script and the module share it too, even if their versions differ.
 */
export function joinPageState(): void {
  [memory, inFlight] = pageState = window[slot] = window[slot] || [{}, {}];
}

/**
 * Returns the result of `work`, or undefined if `work` throws. Access to blocked cookies and storage throws,
 * for example.
 */
export function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    // Callers expect that the browser may block the access.
  }
  return undefined;
}

/**
 * Returns a property of the document. If an element of the page has this name, it hides the property of the
 * document, but not that of the prototype.
 */
export const documentProperty = <K extends keyof Document>(name: K): Document[K] =>
  Reflect.get(Document.prototype, name, document);

/** Dispatches `affkit:<name>` on the document. */
export function emit(name: string, detail: object): void {
  // The method of the document may be hidden by an element named `dispatchEvent`.
  documentProperty('dispatchEvent').call(document, new CustomEvent(`affkit:${name}`, { detail }));
}

/**
 * Resolves when the page is idle, or at once when the visitor leaves the page. Work that starts then does not
 * delay the page. In Safari, which has no idle callbacks, it resolves in the next task.
 */
export const idle = () =>
  new Promise<unknown>((resolve) => {
    // A browser on a phone may end a hidden page without `pagehide`.
    listen('pagehide visibilitychange', resolve);
    (window.requestIdleCallback || setTimeout)(resolve, { timeout: IDLE_TIMEOUT_MS } as object & number);
  });

/**
 * Wraps `work` so that it never rejects. If `work` fails, the error is logged in debug mode, and the result
 * is `otherwise`.
 */
export function guard<A extends unknown[], T>(
  work: (...args: A) => Promise<T>,
  otherwise: T,
): (...args: A) => Promise<T>;
export function guard<A extends unknown[]>(
  work: (...args: A) => Promise<void>,
): (...args: A) => Promise<void>;
export function guard<A extends unknown[], T>(work: (...args: A) => Promise<T>, otherwise?: T) {
  return async (...args: A) => {
    try {
      return await work(...args);
    } catch (error) {
      debugLog('failed', error);
      return otherwise;
    }
  };
}

/** Adds a capturing listener to the window. @param names the event names, separated by spaces */
export function listen(names: string, onEvent: (event: Event) => unknown): void {
  names.split(' ').map((name) => addEventListener(name, onEvent, true));
}

/** Writes one console line if debugging is on. */
export function debugLog(line: string, detail: unknown): undefined {
  if (isEnabled(debug) || /[?&]affkit_debug\b/.test(location.href)) console.info('[affkit]', line, detail);
}

/**
 * Whether a stored time is less than `ms` before or after now. The time is in the future if the clock was
 * ahead when it was stored.
 */
export const isRecent = (time: number, ms: number): boolean => Math.abs(time - Date.now()) < ms;
