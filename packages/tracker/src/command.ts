import type { Tracker } from './api.ts';

type Call = <K extends keyof Tracker>(name: K, ...args: Parameters<Tracker[K]>) => ReturnType<Tracker[K]>;

/** The script's global: `affkit('trackLead', lead)` and `affkit.trackLead(lead)` are the same. */
export type AffkitGlobal = Call & Tracker;

declare global {
  interface Window {
    affkit?: AffkitGlobal;
  }
}

type Method = (...args: unknown[]) => unknown;

/** A window whose properties may be anything; a page may have collected calls in `q` of its own function. */
export type GlobalHolder = Record<string, { getClickId?: unknown; q?: [string, ...unknown[]][] } | undefined>;

/**
 * Puts the tracker that `start` makes at `name`, and runs the calls that were queued there.
 * A tracker that is there already stays, and nothing is started.
 */
export function installGlobal(name: string, start: () => Tracker): void {
  // A page may have put anything there.
  const win = window as unknown as GlobalHolder;
  const earlier = win[name] || {};
  if (earlier.getClickId) return;
  // Called by any name, it has the methods of its own alone.
  const tracker = start() as Tracker & Partial<Record<string, Method>>;
  const call = (method: string, ...args: unknown[]) => (tracker[method] || (() => undefined))(...args);
  win[name] = Object.assign(call, tracker);
  for (const queued of earlier.q || []) call(...queued);
}
