import type { JSX } from 'preact';
import { useCallback, useState } from 'preact/hooks';
import * as messages from '#messages/shell.ts';
import { useToast } from '../ui/toast.tsx';

type Menu = (props: { onClose: () => void }) => JSX.Element;

/**
 * The command menu. Its code is loaded when it is opened for the first time.
 * @returns the menu while it is open, and a function that opens it
 */
export function useCommandMenu(): readonly [JSX.Element | null, () => void] {
  const [Menu, setMenu] = useState<Menu | null>(null);
  const toast = useToast();
  const open = useCallback(() => {
    import('./command-menu.tsx').then(
      ({ CommandMenu }) => setMenu(() => CommandMenu),
      () => toast(messages.commandMenuFailed),
    );
  }, [toast]);
  return [Menu && <Menu onClose={() => setMenu(null)} />, open];
}
