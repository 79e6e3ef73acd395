import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import * as messages from '#messages/ui.tsx';
import { FormDialog } from './dialog.tsx';

/**
 * Asks for confirmation if there are unsaved changes when the user follows a link to another page or closes the
 * browser tab.
 * @returns the dialog to render
 */
export function useLeaveGuard(isDirty: boolean, onDiscard: () => void): JSX.Element | null {
  const { route } = useLocation();
  const [target, setTarget] = useState<string | null>(null);
  useEffect(() => {
    if (!isDirty) return;
    const askOnLink = (event: MouseEvent) => {
      const link =
        event.target instanceof Element ? event.target.closest<HTMLAnchorElement>('a[href]') : null;
      const isElsewhere = event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey;
      if (link === null || isElsewhere || link.target !== '' || link.hasAttribute('download')) return;
      const { origin, pathname, search, hash } = new URL(link.href);
      if (origin !== location.origin || pathname === location.pathname) return;
      event.preventDefault();
      event.stopPropagation();
      setTarget(pathname + search + hash);
    };
    const askOnClose = (event: BeforeUnloadEvent) => event.preventDefault();
    document.addEventListener('click', askOnLink, true);
    addEventListener('beforeunload', askOnClose);
    return () => {
      document.removeEventListener('click', askOnLink, true);
      removeEventListener('beforeunload', askOnClose);
    };
  }, [isDirty]);
  if (target === null) return null;
  return (
    <FormDialog
      title={messages.leaveTitle}
      submit={messages.leaveSubmit}
      danger
      onSubmit={async () => {
        onDiscard();
        route(target);
      }}
      onClose={() => setTarget(null)}
    >
      <p>{messages.leaveWarning}</p>
    </FormDialog>
  );
}
