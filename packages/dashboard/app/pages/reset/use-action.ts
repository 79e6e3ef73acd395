import { useState } from 'preact/hooks';

interface AsyncAction {
  readonly isBusy: boolean;
  readonly error: Error | null;
  /** Runs `work`. If it fails, the error is shown until the next run. */
  readonly run: (work: () => Promise<unknown>) => Promise<void>;
}

/** An action that runs when a form is submitted. */
export function useAction(): AsyncAction {
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<Error | null>(null);
  const run = async (work: () => Promise<unknown>) => {
    setBusy(true);
    setError(null);
    try {
      await work();
    } catch (failure) {
      setError(failure instanceof Error ? failure : new Error(String(failure)));
    }
    setBusy(false);
  };
  return { isBusy, error, run };
}
