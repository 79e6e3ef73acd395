import { callSafely } from './call-safely.ts';
import type { Logger } from './log.ts';
import type { TrackEndpoint } from './retry.ts';

/**
 * Callbacks for metrics and alerts. If a hook throws, or returns a promise that rejects, the error is logged
 * and does not affect the call.
 */
export interface Hooks<Operation extends string = TrackEndpoint> {
  /** Called after every HTTP request. */
  readonly onAttempt?: (info: AttemptInfo<Operation>) => void;
  /** Called before the delay that precedes a retry. `delayMs` is that delay. */
  readonly onRetry?: (info: AttemptInfo<Operation> & { readonly delayMs: number }) => void;
  /**
   * Called when the server did **not** record a sale, because another program already uses its `transaction_id`.
   * By default, transaction ids must be unique in the whole service. If the service has
   * `TRANSACTION_IDS=workspace`, they must be unique only in your workspace. Add your own prefix to avoid
   * conflicts.
   */
  readonly onTransactionIdTaken?: (info: {
    readonly transactionId: string;
    readonly requestId: string | undefined;
  }) => void;
}

/** One of the HTTP requests of a call. */
export interface AttemptInfo<Operation extends string = TrackEndpoint> {
  readonly operation: Operation;
  /** 1 for the first request of the call, 2 for the first retry. */
  readonly attempt: number;
  /** The HTTP status of the response, or the reason why no response arrived. */
  readonly outcome: number | 'unreachable' | 'timeout' | 'deadline' | 'aborted';
  /** The id of the request in the server's log; undefined if the response carried none. */
  readonly requestId: string | undefined;
  /** Time from the start of the request to the end of its response, in milliseconds. */
  readonly durationMs: number;
}

/** Calls a hook if it is set. Logs an error that the hook throws or rejects with. */
export function callHook<Name extends string, T>(
  hooks: { readonly [N in Name]?: ((info: T) => void) | undefined },
  name: Name,
  info: T,
  logger: Logger,
): void {
  callSafely(
    () => hooks[name]?.(info),
    (error) => {
      logger.error(`The hook ${name} threw an error`, { hook: name, error: String(error) });
    },
  );
}
