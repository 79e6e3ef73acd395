import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import * as messages from '#messages/ui.tsx';
import { BASE_PATH } from '../mount.ts';
import { FormDialog } from './dialog.tsx';
import { askToLeave, type LeaveGuard, leaveGuards, stayAt } from './guarded-location.tsx';

/**
 * Asks for confirmation if there are unsaved changes when the user leaves: by a link, a shortcut, the command menu, the
 * buttons of the browser, or by signing out. If several forms of a page have unsaved changes, the user is asked once.
 * @param onDiscard must reset the form
 * @returns the dialog to render
 */
export function useLeaveGuard(isDirty: boolean, onDiscard: () => void): JSX.Element | null {
  const { url, route } = useLocation();
  const [pending, setPending] = useState<{ readonly leave: () => void | Promise<void> } | null>(null);
  const latest = useRef({ url, route, onDiscard });
  latest.current = { url, route, onDiscard };
  useEffect(() => {
    if (!isDirty) return;
    const guard: LeaveGuard = {
      ask: (leave, target) => {
        if (target === undefined || isElsewhere(target)) setPending({ leave });
        else void leave();
      },
      askOnBack: (event) => {
        const { url: here } = latest.current;
        if (!isElsewhere(location.href, here)) return;
        stayAt(here, event);
        askToLeave(() => history.back());
      },
      discard: () => latest.current.onDiscard(),
    };
    leaveGuards.add(guard);
    const isActive = () => leaveGuards.has(guard);
    const askOnLink = (event: MouseEvent) => {
      const target = isActive() && linkTarget(event);
      if (!target || !isElsewhere(target)) return;
      event.preventDefault();
      event.stopImmediatePropagation();
      latest.current.route(target);
    };
    const askOnClose = (event: BeforeUnloadEvent) => {
      if (isActive()) event.preventDefault();
    };
    // The router also listens for clicks on the window. A listener of the capture phase runs before the router's.
    addEventListener('click', askOnLink, true);
    addEventListener('beforeunload', askOnClose);
    return () => {
      leaveGuards.delete(guard);
      removeEventListener('click', askOnLink, true);
      removeEventListener('beforeunload', askOnClose);
    };
  }, [isDirty]);
  if (pending === null) return null;
  return (
    <FormDialog
      title={messages.leaveTitle}
      submit={messages.leaveSubmit}
      danger
      onSubmit={async () => {
        const guards = [...leaveGuards];
        leaveGuards.clear();
        try {
          await pending.leave();
        } catch (error) {
          for (const guard of guards) leaveGuards.add(guard);
          throw error;
        }
        for (const { discard } of guards) discard();
      }}
      onClose={() => setPending(null)}
    >
      <p>{messages.leaveWarning}</p>
    </FormDialog>
  );
}

/** Whether the URL is another page or another view of the page. A URL with only another fragment is the same view. */
function isElsewhere(url: string, here: string = location.href): boolean {
  const [target, current] = [url, here].map((text) => new URL(text, location.origin));
  return target?.pathname !== current?.pathname || target?.search !== current?.search;
}

/** Returns the URL of the page that a click opens in this tab, or null if the router ignores the click. */
function linkTarget(event: MouseEvent): string | null {
  const link = event.target instanceof Element && event.target.closest<HTMLAnchorElement>('a[href]');
  const opensTab = event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey;
  if (!link || opensTab || link.target !== '' || link.hasAttribute('download')) return null;
  const { origin, pathname, search, hash } = new URL(link.href);
  const isPage = origin === location.origin && pathname.startsWith(BASE_PATH);
  return isPage ? pathname + search + hash : null;
}
