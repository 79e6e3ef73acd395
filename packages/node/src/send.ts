import { type Outcome, type Reply, sendOnce } from './attempt.ts';
import { contradictionOf, errorOf } from './failure.ts';
import { callHook } from './hooks.ts';
import { type CallOptions, readCallOptions, type Settings } from './options.ts';
import { decideRetry, type Question } from './retry.ts';
import { sleep } from './runtime.ts';

/** A call that the server has recorded, now or before. */
export interface Delivered {
  readonly reply: Reply;
  readonly isDuplicate: boolean;
  readonly attempts: number;
}

/** Sends an event until `decideRetry` says that it is recorded, or throws an `AffkitError`. */
export async function send(
  operation: Question,
  body: string,
  settings: Settings,
  options: CallOptions,
): Promise<Delivered> {
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
    const isOver = signal?.aborted === true;
    const outcome: Outcome = isOver
      ? { kind: 'aborted' }
      : await sendOnce(
          { url, body, token: settings.token, limitMs, limitKind, signal },
          settings.transport,
          runtime,
        );
    const nowMs = runtime.now();
    if (!isOver) attempts += 1;
    const info = {
      operation,
      attempt: attempts,
      outcome: outcome.kind === 'reply' ? outcome.status : outcome.kind,
      requestId: outcome.kind === 'reply' ? outcome.requestId : undefined,
      durationMs: nowMs - startedAtMs,
    };
    if (!isOver) {
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
      logger.info('Affkit request is tried again', retry);
      callHook(hooks.onRetry, retry, 'onRetry', logger);
      await sleep(runtime, decision.delayMs, signal);
    } else if (decision.action === 'succeed' && outcome.kind === 'reply') {
      if (!decision.isDuplicate && outcome.body?.['success'] === false) {
        throw contradictionOf(outcome, operation, attempts);
      }
      return { reply: outcome, isDuplicate: decision.isDuplicate, attempts };
    } else {
      const isRetryable = decision.action === 'fail' && decision.isRetryable;
      throw errorOf(outcome, { operation, attempts, isRetryable, limits, signal });
    }
  }
}
