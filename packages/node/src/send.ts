import type { ApiCall } from './api-call.ts';
import { type ApiResponse, type RequestOutcome, sendOnce } from './attempt.ts';
import { callHook } from './hooks.ts';
import { type CallOptions, readCallOptions, type SendSettings } from './options.ts';
import { errorFromOutcome } from './outcome-errors.ts';
import { decideAfterReply } from './retry.ts';
import { sleep } from './runtime.ts';

/** A successful call: the server has carried it out, or had the event already. */
export interface SendResult {
  readonly response: ApiResponse;
  readonly isDuplicate: boolean;
  readonly attempts: number;
}

/** Sends a request and retries it as `decideRetry` decides. Throws an `AffkitError` if the call fails. */
export async function send<Operation extends string>(
  call: ApiCall<Operation>,
  settings: SendSettings<Operation>,
  options: CallOptions,
): Promise<SendResult> {
  const { operation } = call;
  const { runtime, hooks, logger, readCredential } = settings;
  const { signal } = options;
  const limits = readCallOptions(options, settings);
  const monotonicNow = () => runtime.monotonicNow?.() ?? runtime.now();
  const deadlineAtMs = monotonicNow() + limits.deadlineMs;
  const url = settings.baseUrl + call.path;
  const trace = settings.readTrace?.();
  const traceHeaders = trace && (await trace);
  let attempts = 0;

  for (;;) {
    const startedAtMs = monotonicNow();
    const remainingMs = deadlineAtMs - startedAtMs;
    const limitKind = remainingMs <= limits.timeoutMs ? 'deadline' : 'timeout';
    const limitMs = Math.max(0, Math.min(remainingMs, limits.timeoutMs));
    const isAborted = signal?.aborted === true;
    const outcome: RequestOutcome = isAborted
      ? { kind: 'aborted' }
      : await sendOnce(
          { url, call, readCredential, traceHeaders, limitMs, limitKind, signal },
          settings.transport,
          runtime,
        );
    const response = outcome.kind === 'response' ? outcome : undefined;
    const endedAtMs = monotonicNow();
    const nowMs = runtime.now();
    if (!isAborted) attempts += 1;
    const info = {
      operation,
      attempt: attempts,
      outcome: outcome.kind === 'response' ? outcome.status : outcome.kind,
      requestId: response?.requestId,
      durationMs: Math.round(endedAtMs - startedAtMs),
    };
    if (!isAborted) {
      logger.debug('Affkit request', info);
      callHook(hooks, 'onAttempt', info, logger);
    }

    const reply = response && call.classify(response);
    const isRepeatable = call.isRepeatable(outcome);
    const decision = decideAfterReply(outcome, reply, {
      attempt: attempts,
      maxRetries: isRepeatable ? limits.maxRetries : 0,
      nowMs,
      deadlineAtMs: nowMs + deadlineAtMs - endedAtMs,
      random: runtime.random(),
    });
    if (decision.action === 'retry') {
      const retry = { ...info, delayMs: decision.delayMs };
      logger.info('Retrying the Affkit request', retry);
      callHook(hooks, 'onRetry', retry, logger);
      await sleep(runtime, decision.delayMs, signal);
    } else if (decision.action === 'succeed' && response) {
      return { response, isDuplicate: decision.isDuplicate, attempts };
    } else {
      const isRetryable = isRepeatable && decision.action === 'fail' && decision.isRetryable;
      throw errorFromOutcome(outcome, reply, { call, attempts, isRetryable, limits, signal });
    }
  }
}
