import type { ComponentChildren, JSX } from 'preact';
import { useLayoutEffect, useMemo } from 'preact/hooks';
import { LocationProvider, useLocation } from 'preact-iso';

export interface LeaveGuard {
  /** Asks the user, and calls `leave` if the user agrees. */
  readonly ask: (leave: () => void) => void;
  readonly askOnBack: (event: PopStateEvent) => void;
  readonly discard: () => void;
}

/** The guards of all forms with unsaved changes. */
export const leaveGuards: Set<LeaveGuard> = new Set();

/** Calls `leave`. If a form has unsaved changes, the user must first agree to discard them. */
export function askToLeave(leave: () => void): void {
  const [guard] = leaveGuards;
  if (guard) guard.ask(leave);
  else leave();
}

/** Whether the URL is another page, or another view of the page. Only the fragment may differ. */
export function isElsewhere(url: string, here: string = location.href): boolean {
  const [target, current] = [url, here].map((text) => new URL(text, location.origin));
  return target?.pathname !== current?.pathname || target?.search !== current?.search;
}

/**
 * Asks before `route` or the buttons of the browser leave a form with unsaved changes. `useLeaveGuard` asks before a link
 * does.
 */
export function GuardedLocation({ children }: { children: ComponentChildren }): JSX.Element {
  const place = useLocation();
  const guarded = useMemo(() => {
    const route: typeof place.route = (url, replace) =>
      isElsewhere(url) ? askToLeave(() => place.route(url, replace)) : place.route(url, replace);
    return { ...place, route };
  }, [place]);
  // Layout effects of children run first, so this listener is called before the listener of the router. For events of
  // the window itself, Chromium ignores that a listener belongs to the capture phase.
  useLayoutEffect(() => {
    const listen = (event: PopStateEvent) => [...leaveGuards][0]?.askOnBack(event);
    addEventListener('popstate', listen);
    return () => removeEventListener('popstate', listen);
  }, []);
  return <LocationProvider.ctx.Provider value={guarded}>{children}</LocationProvider.ctx.Provider>;
}
