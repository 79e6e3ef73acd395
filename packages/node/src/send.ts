import { type ApiResponse, type RequestOutcome, sendOnce } from './attempt.ts';
import { callHook } from './hooks.ts';
import { type CallOptions, readCallOptions, type Settings } from './options.ts';
import { errorFromOutcome } from './outcome-errors.ts';
import { decideRetry, type TrackEndpoint } from './retry.ts';
import { sleep } from './runtime.ts';

/** A successful call: the server has the event, from this call or an earlier one. */
export interface SendResult {
  readonly response: ApiResponse;
  readonly isDuplicate: boolean;
  readonly attempts: number;
}

/** Sends a request and retries it as `decideRetry` decides. Throws an `AffkitError` if the call fails. */
export async function send(
  operation: TrackEndpoint,
  body: string,
  settings: Settings,
  options: CallOptions,
): Promise<SendResult> {
  const { runtime, hooks, logger } = settings;
  const { signal } = options;
  const limits = readCallOptions(options, settings);
  const deadlineAtMs = runtime.now() + limits.deadlineMs;
  const url = `${settings.baseUrl}/api/v1/track/${operation}`;
  let attempts = 0;

  for (;;) {
    const startedAtMs = runtime.now();
    const remainingMs = deadlineAtMs - startedAtMs;
    const limitKind = remainingMs <= limits.timeoutMs ? 'deadline' : 'timeout';
    const limitMs = Math.max(0, Math.min(remainingMs, limits.timeoutMs));
    const isAborted = signal?.aborted === true;
    const outcome: RequestOutcome = isAborted
      ? { kind: 'aborted' }
      : await sendOnce(
          { url, body, token: settings.token, limitMs, limitKind, signal },
          settings.transport,
          runtime,
        );
    const nowMs = runtime.now();
    if (!isAborted) attempts += 1;
    const info = {
      operation,
      attempt: attempts,
      outcome: outcome.kind === 'response' ? outcome.status : outcome.kind,
      requestId: outcome.kind === 'response' ? outcome.requestId : undefined,
      durationMs: nowMs - startedAtMs,
    };
    if (!isAborted) {
      logger.debug('Affkit request', info);
      callHook(hooks.onAttempt, info, 'onAttempt', logger);
    }

    const decision = decideRetry(outcome, {
      operation,
      attempt: attempts,
      maxRetries: limits.maxRetries,
      nowMs,
      deadlineAtMs,
      random: runtime.random(),
    });
    if (decision.action === 'retry') {
      const retry = { ...info, delayMs: decision.delayMs };
      logger.info('Retrying the Affkit request', retry);
      callHook(hooks.onRetry, retry, 'onRetry', logger);
      await sleep(runtime, decision.delayMs, signal);
    } else if (decision.action === 'succeed' && outcome.kind === 'response') {
      return { response: outcome, isDuplicate: decision.isDuplicate, attempts };
    } else {
      const isRetryable = decision.action === 'fail' && decision.isRetryable;
      throw errorFromOutcome(outcome, { operation, attempts, isRetryable, limits, signal });
    }
  }
}
