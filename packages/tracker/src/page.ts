import type { TrackerState } from './api.ts';
import { debug, isEnabled } from './config.ts';

const slot: unique symbol = Symbol.for('affkit');

declare global {
  interface Window {
    /**
     * State shared by all trackers of the page: stored entries, pending requests, `debug` of the tracker that has
     * linked sites, and `decorate` of the linker.
     */
    [slot]?: [
      Record<string, string>,
      Record<string, Promise<unknown>>,
      (() => TrackerState)?,
      ((url: string) => string)?,
    ];
  }
}

/** Entries that localStorage does not accept. */
export let memory: Record<string, string>;
/** Pending requests by the key of their job. */
export let inFlight: Record<string, Promise<unknown>>;
export let pageState: NonNullable<Window[typeof slot]>;

/** Finds or creates the shared state. A script and a module of different versions also share it. */
export function joinPageState(): void {
  [memory, inFlight] = pageState = window[slot] = window[slot] || [{}, {}];
}

/** Writes one console line if debugging is on. */
export function debugLog(line: string, detail: unknown): undefined {
  if (isEnabled(debug) || /[?&]affkit_debug\b/.test(location.href)) console.info('[affkit]', line, detail);
}

/**
 * Returns a property of the document. An element of the page with that name hides the document's property,
 * but not the property of its prototype.
 */
export const documentProperty = <K extends keyof Document>(name: K): Document[K] =>
  Reflect.get(Document.prototype, name, document);

/** Dispatches `affkit:<name>` on the document. */
export function emit(name: string, detail: object): void {
  // An element named `dispatchEvent` hides the method of the document.
  documentProperty('dispatchEvent').call(document, new CustomEvent(`affkit:${name}`, { detail }));
}

/** Adds a capturing listener to the window for each event name of a space-separated list. */
export function listen(names: string, onEvent: (event: Event) => unknown): void {
  names.split(' ').map((name) => addEventListener(name, onEvent, true));
}

/**
 * Whether a stored time is less than `ms` before or after now. A time from a clock that was ahead is in the future.
 */
export const isRecent = (time: number, ms: number): boolean => Math.abs(Date.now() - time) < ms;

/** Returns the result of `work`, or undefined if it throws, as access to blocked cookies and storage does. */
export function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

/** Wraps `work` so that it never rejects: it logs the error when debugging and resolves with `otherwise`. */
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
