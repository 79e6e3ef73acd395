import type { ComponentChildren, JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import { LocationProvider, useLocation } from 'preact-iso';

type Leave = () => void | Promise<void>;

export interface LeaveGuard {
  /**
   * Asks the user, and calls `leave` if the user agrees. If `leave` fails, the changes are kept.
   * @param url the target. If it is the current page, `leave` is called without asking
   */
  readonly ask: (leave: Leave, url?: string) => void;
  readonly askOnBack: (event: PopStateEvent) => void;
  readonly discard: () => void;
}

/** The guards of all forms with unsaved changes. */
export const leaveGuards: Set<LeaveGuard> = new Set();

/** Calls `leave`. If a form has unsaved changes, the user must first agree to discard them. */
export function askToLeave(leave: Leave, url?: string): void {
  const [guard] = leaveGuards;
  if (guard) guard.ask(leave, url);
  else void leave();
}

/**
 * The URL of the page that the browser's Back and Forward buttons must not leave, or null. A dialog sets it while its
 * request runs. If the user left the page, the dialog would disappear with the result.
 */
export const pinnedPage: { url: string | null } = { url: null };

// This listener must run before the listener of the router, so it is added before the router is rendered. The
// capture phase would not help: for events of the window itself, Chromium calls listeners in the order in which they
// were added.
addEventListener('popstate', (event) => {
  if (pinnedPage.url === null) [...leaveGuards][0]?.askOnBack(event);
  else stayAt(pinnedPage.url, event);
});

/** Cancels a step through the browser's history. The next `history.back()` opens the target of this step. */
export function stayAt(url: string, event: PopStateEvent): void {
  event.stopImmediatePropagation();
  // The browser has already moved to the target's entry in the history. Add an entry for this page after it.
  history.pushState(null, '', url);
}

/**
 * Makes `route` ask before it leaves a form with unsaved changes. For the buttons of the browser, the listener
 * above asks. For links, `useLeaveGuard` asks.
 */
export function GuardedLocation({ children }: { children: ComponentChildren }): JSX.Element {
  const place = useLocation();
  const guarded = useMemo(() => {
    const route: typeof place.route = (url, replace) => askToLeave(() => place.route(url, replace), url);
    return { ...place, route };
  }, [place]);
  return <LocationProvider.ctx.Provider value={guarded}>{children}</LocationProvider.ctx.Provider>;
}
