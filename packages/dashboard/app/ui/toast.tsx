import type { ComponentChildren, JSX } from 'preact';
import { createContext } from 'preact';
import { useCallback, useContext, useEffect, useId, useState } from 'preact/hooks';

interface ToastAction {
  readonly text: string;
  readonly run: () => void;
}

interface Toast {
  readonly text: string;
  readonly action: ToastAction | undefined;
}

type ShowToast = (text: string, action?: ToastAction) => void;

interface ShownToasts {
  readonly toasts: readonly Toast[];
  readonly remove: (toast: Toast) => void;
  /** The ids of the open dialogs. The last one is on top. */
  readonly dialogs: readonly string[];
  readonly setDialogs: (change: (dialogs: readonly string[]) => readonly string[]) => void;
}

const SHOWN_MS = 7000;
const Toasts = createContext<ShowToast>(() => {});
const Shown = createContext<ShownToasts>({ toasts: [], remove: () => {}, dialogs: [], setDialogs: () => {} });

/** Returns a function that shows a short message. The message may have an action, such as "Undo". */
export function useToast(): ShowToast {
  return useContext(Toasts);
}

export function ToastProvider({ children }: { children: ComponentChildren }): JSX.Element {
  const [toasts, setToasts] = useState<readonly Toast[]>([]);
  const [dialogs, setDialogs] = useState<readonly string[]>([]);
  const remove = (toast: Toast) => setToasts((shown) => shown.filter((other) => other !== toast));
  const show = useCallback<ShowToast>((text, action) => {
    const toast = { text, action };
    setToasts((shown) => [...shown, toast]);
    setTimeout(() => remove(toast), SHOWN_MS);
  }, []);
  return (
    <Toasts.Provider value={show}>
      <Shown.Provider value={{ toasts, remove, dialogs, setDialogs }}>
        {children}
        <ToastList />
      </Shown.Provider>
    </Toasts.Provider>
  );
}

/**
 * Shows the toasts inside a dialog while this dialog is the topmost one. Everything outside of a modal dialog is inert:
 * it is behind the dialog, ignores clicks, and is not announced by screen readers.
 */
export function DialogToasts(): JSX.Element {
  const { setDialogs } = useContext(Shown);
  const id = useId();
  useEffect(() => {
    setDialogs((open) => [...open, id]);
    return () => setDialogs((open) => open.filter((other) => other !== id));
  }, []);
  return <ToastList dialog={id} />;
}

/** The list is also rendered without toasts, because screen readers announce only changes of an existing element. */
function ToastList({ dialog }: { dialog?: string }): JSX.Element {
  const { toasts, remove, dialogs } = useContext(Shown);
  return (
    <output class="toasts" aria-live="polite">
      {dialogs.at(-1) === dialog &&
        toasts.map((toast) => (
          <div key={toast} class="toast">
            <span>{toast.text}</span>
            {toast.action && (
              <button
                type="button"
                onClick={() => {
                  remove(toast);
                  toast.action?.run();
                }}
              >
                {toast.action.text}
              </button>
            )}
          </div>
        ))}
    </output>
  );
}
