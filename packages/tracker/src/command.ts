import type { Tracker } from './api.ts';

type Call = <K extends keyof Tracker>(name: K, ...args: Parameters<Tracker[K]>) => ReturnType<Tracker[K]>;

/** The global of the script. `affkit('trackLead', lead)` and `affkit.trackLead(lead)` are equivalent. */
export type AffkitGlobal = Call & Tracker;

declare global {
  interface Window {
    affkit?: AffkitGlobal;
  }
}

type Method = (...args: unknown[]) => unknown;

/** A window with unknown properties. A page may have queued calls in `q` of its own function. */
export type GlobalHolder = Record<string, { getClickId?: unknown; q?: [string, ...unknown[]][] } | undefined>;

/**
 * Assigns the tracker that `start` returns to the global `name` and runs the calls that the page queued
 * there. Does nothing if a tracker is already installed.
 */
export function installGlobal(name: string, start: () => Tracker): void {
  // The page may have assigned any value to this name, and an element of the page may have this id.
  const found = (window as unknown as GlobalHolder)[name];
  const earlier: GlobalHolder[string] = found instanceof Function ? found : {};
  if (earlier.getClickId) return;
  // Callers may pass any name, so a method may be missing.
  const tracker = start() as Tracker & Partial<Record<string, Method>>;
  // biome-ignore lint/complexity/useOptionalChain: its es2019 form is longer.
  const call = (method: string, ...args: unknown[]) => tracker[method] && tracker[method](...args);
  (window as unknown as GlobalHolder)[name] = Object.assign(call, tracker);
  for (const queued of earlier.q || []) call(...queued);
}
