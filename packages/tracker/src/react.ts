import { useEffect, useSyncExternalStore } from 'react';
import type { Tracker } from './api.ts';
import type { TrackerOptions } from './config.ts';
import { createTracker } from './create-tracker.ts';

/** The global variable of the script, if the script has loaded. */
declare const affkit: Tracker;

let tracker: Tracker | undefined;

/** Starts the tracker of the page in the browser. Renders nothing. */
export function AffkitTracker(options: TrackerOptions): null {
  // There is no dependency list, because later calls of createTracker return the same tracker.
  useEffect(() => {
    tracker = createTracker(options);
  });
  return null;
}

function subscribe(onChange: () => void): () => void {
  const stop = new AbortController();
  for (const name of ['ready', 'click']) document.addEventListener(`affkit:${name}`, onChange, stop);
  return () => stop.abort();
}

/**
 * Returns the visitor's click id. Returns null on a server, if there is no click, and while the click id is
 * still unknown.
 */
export function useClickId(): string | null {
  return useSyncExternalStore(
    subscribe,
    () => {
      try {
        return (tracker ?? affkit).getClickId();
      } catch {
        // Either the script has not loaded, or an element of the page is named `affkit`.
        return null;
      }
    },
    () => null,
  );
}
