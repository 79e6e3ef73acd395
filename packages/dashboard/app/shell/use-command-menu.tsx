import type { JSX } from 'preact';
import { useCallback, useState } from 'preact/hooks';
import { useToast } from '../ui/toast.tsx';

type Menu = (props: { onClose: () => void }) => JSX.Element;

/**
 * The command menu, which is loaded when it is opened for the first time.
 * @returns the menu while it is open, and a function that opens it
 */
export function useCommandMenu(): readonly [JSX.Element | null, () => void] {
  const [Menu, setMenu] = useState<Menu | null>(null);
  const toast = useToast();
  const open = useCallback(() => {
    import('./command-menu.tsx').then(
      ({ CommandMenu }) => setMenu(() => CommandMenu),
      () => toast('The command menu could not be loaded. Check your connection.'),
    );
  }, [toast]);
  return [Menu && <Menu onClose={() => setMenu(null)} />, open];
}
