import { debug, isOn } from './config.ts';

const slot: unique symbol = Symbol.for('affkit');

declare global {
  interface Window {
    /** What all trackers of the page share: their store, and their requests under way. */
    [slot]?: [Record<string, string>, Record<string, Promise<unknown>>];
  }
}

/** Entries of the store that localStorage does not take. */
export let memory: Record<string, string>;
/** Requests under way, by the key of their job. */
export let flights: Record<string, Promise<unknown>>;

/** Finds what all trackers of the page share, also a script and a module of different versions. */
export function joinPage(): void {
  [memory, flights] = window[slot] = window[slot] || [{}, {}];
}

/** One console line, when debugging. */
export function say(line: string, detail: unknown): void {
  if (isOn(debug) || /[?&]affkit_debug\b/.test(location.href)) console.info('[affkit]', line, detail);
}

/** Dispatches `affkit:<name>` on the document. */
export function emit(name: string, detail: object): void {
  document.dispatchEvent(new CustomEvent(`affkit:${name}`, { detail }));
}

/** Calls back at each of the events, wherever in the document they happen. */
export function listen(names: string, onEvent: (event: Event) => unknown): void {
  for (const name of names.split(' ')) addEventListener(name, onEvent, true);
}

/** The answer of `work`; undefined when it fails, as cookies and storage do where they are forbidden. */
export function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

/** The last line of defence: what `work` fails with is said and answered with `otherwise`, never thrown at the page. */
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
      say('failed', error);
      return otherwise;
    }
  };
}
