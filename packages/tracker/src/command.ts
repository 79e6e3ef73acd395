import type { Tracker } from './api.ts';

type Call = <K extends keyof Tracker>(name: K, ...args: Parameters<Tracker[K]>) => ReturnType<Tracker[K]>;

/** The script's global variable. `affkit('trackLead', lead)` and `affkit.trackLead(lead)` are equivalent. */
export type AffkitGlobal = Call & Tracker;

declare global {
  interface Window {
    affkit?: AffkitGlobal;
  }
}

type Method = (...args: unknown[]) => unknown;

/** A window with unknown properties. A function of the page may collect calls in `q` until the tracker starts. */
export type GlobalHolder = Record<string, { getClickId?: unknown; q?: [string, ...unknown[]][] } | undefined>;

/**
 * Stores the tracker that `start` returns in the global variable `name`, and runs the calls that the page has
 * queued there. Does nothing if a tracker is already installed.
 */
export function installGlobal(name: string, start: () => Tracker): void {
  // The value may be anything: other code of the page may use this name, or an element may have it as its id.
  const found = (window as unknown as GlobalHolder)[name];
  const earlier: GlobalHolder[string] = found instanceof Function ? found : {};
  if (earlier.getClickId) return;
  // Callers may pass any name, so the method may not exist.
  const tracker = start() as Tracker & Partial<Record<string, Method>>;
  // biome-ignore lint/complexity/useOptionalChain: its es2019 form is longer.
  const call = (method: string, ...args: unknown[]) => tracker[method] && tracker[method](...args);
  (window as unknown as GlobalHolder)[name] = Object.assign(call, tracker);
  (earlier.q || []).map((queued) => call(...queued));
}
