import { useEffect, useSyncExternalStore } from 'react';
import type { Tracker } from './api.ts';
import type { TrackerOptions } from './config.ts';
import { createTracker } from './create-tracker.ts';

let tracker: Tracker | undefined;

/** Starts the tracker of the page once it is in the browser. Renders nothing. */
export function AffkitTracker(options: TrackerOptions): null {
  // A page has one tracker: other options would change nothing.
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

/** The visitor's click id; null before it is known, without one, and on a server. */
export function useClickId(): string | null {
  return useSyncExternalStore(
    subscribe,
    () => (tracker ?? window.affkit)?.getClickId() ?? null,
    () => null,
  );
}
