import type { ComponentType, JSX } from 'preact';
import { useCallback, useState } from 'preact/hooks';
import * as messages from '#messages/shell.ts';
import { useToast } from './toast.tsx';

/** The properties of a dialog, and the function that closes it. */
export type Closable<Props> = Props & { readonly onClose: () => void };

/** Loads the code of a dialog. */
export type LoadOverlay<Props> = () => Promise<ComponentType<Closable<Props>>>;

/**
 * A dialog that is loaded when it is opened for the first time.
 * @param load must be the same function in every rendering
 * @returns the dialog while it is open, and a function that opens it
 */
export function useOverlay<Props extends object>(
  load: LoadOverlay<Props>,
  props: Props,
): readonly [JSX.Element | null, () => void] {
  const [Overlay, setOverlay] = useState<ComponentType<Closable<Props>> | null>(null);
  const toast = useToast();
  const open = useCallback(() => {
    load().then(
      (loaded) => setOverlay(() => loaded),
      () => toast(messages.overlayFailed),
    );
  }, [load, toast]);
  return [Overlay && <Overlay {...props} onClose={() => setOverlay(null)} />, open];
}
