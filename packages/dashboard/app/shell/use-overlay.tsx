import type { ComponentType, JSX } from 'preact';
import { useCallback, useState } from 'preact/hooks';
import * as messages from '#messages/shell.ts';
import { useToast } from '../ui/toast.tsx';
import type { NavSection } from './nav.ts';

export interface OverlayProps {
  /** The pages that the user may open. */
  readonly sections: readonly NavSection[];
  readonly onClose: () => void;
}

/** Loads the code of a dialog over the page. */
export type LoadOverlay = () => Promise<ComponentType<OverlayProps>>;

/**
 * A dialog over every page, which is loaded when it is opened for the first time.
 * @returns the dialog while it is open, and a function that opens it
 */
export function useOverlay(
  load: LoadOverlay,
  sections: readonly NavSection[],
): readonly [JSX.Element | null, () => void] {
  const [Overlay, setOverlay] = useState<ComponentType<OverlayProps> | null>(null);
  const toast = useToast();
  const open = useCallback(() => {
    load().then(
      (loaded) => setOverlay(() => loaded),
      () => toast(messages.overlayFailed),
    );
  }, [load, toast]);
  return [Overlay && <Overlay sections={sections} onClose={() => setOverlay(null)} />, open];
}
