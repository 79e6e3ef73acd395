import type { ComponentChildren, JSX } from 'preact';
import { createContext } from 'preact';
import { useCallback, useContext, useState } from 'preact/hooks';

interface ToastAction {
  readonly text: string;
  readonly run: () => void;
}

interface Toast {
  readonly id: number;
  readonly text: string;
  readonly action: ToastAction | undefined;
}

type ShowToast = (text: string, action?: ToastAction) => void;

const SHOWN_MS = 7000;
const Toasts = createContext<ShowToast>(() => {});

/** Returns a function that shows a short message. The message may have an action, such as "Undo". */
export function useToast(): ShowToast {
  return useContext(Toasts);
}

let lastId = 0;

export function ToastProvider({ children }: { children: ComponentChildren }): JSX.Element {
  const [toasts, setToasts] = useState<readonly Toast[]>([]);
  const remove = useCallback(
    (id: number) => setToasts((shown) => shown.filter((toast) => toast.id !== id)),
    [],
  );
  const show = useCallback<ShowToast>(
    (text, action) => {
      lastId += 1;
      const id = lastId;
      setToasts((shown) => [...shown, { id, text, action }]);
      setTimeout(() => remove(id), SHOWN_MS);
    },
    [remove],
  );
  return (
    <Toasts.Provider value={show}>
      {children}
      <output class="toasts" aria-live="polite">
        {toasts.map(({ id, text, action }) => (
          <div key={id} class="toast">
            <span>{text}</span>
            {action && (
              <button
                type="button"
                onClick={() => {
                  remove(id);
                  action.run();
                }}
              >
                {action.text}
              </button>
            )}
          </div>
        ))}
      </output>
    </Toasts.Provider>
  );
}
