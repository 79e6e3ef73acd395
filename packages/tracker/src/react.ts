import { useEffect, useSyncExternalStore } from 'react';
import type { Tracker } from './api.ts';
import type { TrackerOptions } from './config.ts';
import { createTracker } from './create-tracker.ts';

/** The global of the script, if it has loaded. */
declare const affkit: Tracker;

let tracker: Tracker | undefined;

/** Starts the tracker of the page in the browser. Renders nothing. */
export function AffkitTracker(options: TrackerOptions): null {
  // No dependency list: further calls of createTracker return the same tracker.
  useEffect(() => {
    tracker = createTracker(options);
  });
  return null;
}

function subscribe(onChange: () => void): () => void {
  const stop = new AbortController();
  // An element named `addEventListener` hides the method of the document.
  for (const name of ['ready', 'click']) document.addEventListener(`affkit:${name}`, onChange, stop);
  return () => stop.abort();
}

/**
 * Returns the visitor's click id. The result is null on a server, without a click, and until the click id is
 * known.
 */
export function useClickId(): string | null {
  return useSyncExternalStore(
    subscribe,
    () => {
      try {
        return (tracker ?? affkit).getClickId();
      } catch {
        // The script has not loaded, or an element of the page is named `affkit`.
        return null;
      }
    },
    () => null,
  );
}
