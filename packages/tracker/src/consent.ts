import { documentProperty, listen } from './page.ts';
import { reset } from './store.ts';

declare global {
  interface Document {
    /**
     * Whether the browser is prerendering the page. Undefined in browsers that do not support prerendering.
     */
    readonly prerendering?: boolean;
  }
}

/** Resolves the latest promise. */
let decide: (value: unknown) => unknown = Boolean;

/**
 * Resolves when consent has been granted or denied and the page is no longer prerendering. Each call of `consent`
 * replaces this promise. The previous promise then waits for the new one.
 */
export let consentDecided: Promise<unknown>;

/** Whether consent is granted. Undefined until the tracker starts. */
export let isGranted: boolean | undefined;

/**
 * Sets the visitor's consent. `denied` deletes all stored data and drops all events that were waiting for
 * consent. If `granted` follows `denied` in the same task, leads and visits that still wait for their first
 * decision are sent, because they check the consent only after that task. After `pending`, events wait, even
 * if consent was granted before.
 */
export function consent(next: string): void {
  isGranted = next === 'granted';
  // Events that wait for consent must see the denial, even if `pending` follows in the same task.
  if (next === 'denied') decide(reset());
  decide(
    // biome-ignore lint/suspicious/noAssignInExpressions: shorter in the script.
    // biome-ignore lint/suspicious/noAsyncPromiseExecutor: shorter in the script, and nothing in it throws.
    (consentDecided = new Promise(async (resolve) => {
      decide = resolve;
      // A call that the page has queued may set `pending` in the same task. This promise then waits for the promise of
      // that call, and `resolve` has no effect.
      await 0;
      if (next === 'pending') return;
      if (documentProperty('prerendering')) listen('prerenderingchange', resolve);
      else resolve(0);
    })),
  );
}
