import type { Logger } from './log.ts';
import type { Question } from './retry.ts';

/** Called as things happen, for metrics and alerts. What a hook throws is logged and changes nothing. */
export interface Hooks {
  /** After every request: `outcome` is its status, or why there was none. */
  readonly onAttempt?: (info: AttemptInfo) => void;
  /** Before the pause that precedes another request. */
  readonly onRetry?: (info: AttemptInfo & { readonly delayMs: number }) => void;
  /**
   * A sale's `transaction_id` belongs to another program, so that the sale is **not** recorded. Ids are unique in
   * the whole service: put a prefix of your own before them.
   */
  readonly onTransactionIdTaken?: (info: {
    readonly transactionId: string;
    readonly requestId: string | undefined;
  }) => void;
}

/** One request of a call. */
export interface AttemptInfo {
  readonly operation: Question;
  /** 1 for the first request of the call. */
  readonly attempt: number;
  readonly outcome: number | 'unreachable' | 'timeout' | 'deadline' | 'aborted';
  readonly requestId: string | undefined;
  readonly durationMs: number;
}

/** Runs a hook, if there is one, so that its failure stays its own. */
export function callHook<T>(
  hook: ((info: T) => void) | undefined,
  info: T,
  name: string,
  logger: Logger,
): void {
  if (hook === undefined) return;
  const report = (error: unknown) => {
    logger.error('An Affkit hook failed', { hook: name, error: String(error) });
  };
  try {
    // An async function fits the type too; its rejection must not end the process.
    const result: unknown = hook(info);
    Promise.resolve(result).catch(report);
  } catch (error) {
    report(error);
  }
}
