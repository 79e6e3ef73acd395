import { type ComponentChildren, createContext, type JSX } from 'preact';
import { useContext, useState } from 'preact/hooks';
import * as messages from '#messages/shell.ts';
import { useToast } from './toast.tsx';
import type { LoadOverlay } from './use-overlay.tsx';

const ShowOnPage = createContext<(overlay: JSX.Element | null) => void>(() => {});

/** Shows the dialogs that `usePageOverlay` opens. */
export function OverlayHost({ children }: { children: ComponentChildren }): JSX.Element {
  const [overlay, setOverlay] = useState<JSX.Element | null>(null);
  return (
    <ShowOnPage.Provider value={setOverlay}>
      {children}
      {overlay}
    </ShowOnPage.Provider>
  );
}

export interface PageOverlay {
  /** Opens a dialog. Its properties do not change while it is open. */
  readonly open: (render: (onClose: () => void) => JSX.Element) => void;
  /** Loads the code of a dialog, and opens it. */
  readonly load: <Props extends object>(load: LoadOverlay<Props>, props: Props) => void;
}

/**
 * Returns functions that open a dialog on the page. The actions on a row must use them. A dialog inside the row would
 * disappear with its results when the row leaves the list, for example because the list shows only one status.
 */
export function usePageOverlay(): PageOverlay {
  const show = useContext(ShowOnPage);
  const toast = useToast();
  const onClose = () => show(null);
  return {
    open: (render) => show(render(onClose)),
    load: (load, props) =>
      void load().then(
        (Overlay) => show(<Overlay {...props} onClose={onClose} />),
        () => toast(messages.overlayFailed),
      ),
  };
}
