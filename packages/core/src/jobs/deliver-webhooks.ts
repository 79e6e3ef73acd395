import { setTimeout as sleep } from 'node:timers/promises';
import type { Runtime } from '../runtime.ts';
import { SERVICE_LANE } from '../storage/accounts/users.ts';
import type { Transaction, Work } from '../storage/database/engine/engine.ts';
import {
  type AttemptResult,
  type DueDelivery,
  finishAttempt,
  listDueDeliveries,
} from '../storage/webhooks/deliveries.ts';
import {
  findDueEndpoints,
  finishRound,
  type LeasedEndpoint,
  leaseEndpoint,
} from '../storage/webhooks/endpoints.ts';
import { traceCall } from '../telemetry/trace-call.ts';
import { blockMs, MAX_FAILURES, retryDelayMs } from '../webhooks/retry-policy.ts';
import type { WebhookResponse } from '../webhooks/send-webhook.ts';
import { signatureHeaders, signingSecrets, webhookBody } from '../webhooks/signature.ts';
import { throwFailures } from './failures.ts';
import { notifyDeadLetters, notifyEndpointPaused } from './webhook-notices.ts';

/** The maximum number of requests to one endpoint at the same time, over all processes. */
const CONCURRENT_DELIVERIES = 10;
/**
 * The maximum number of endpoints that a process serves at the same time. A proven endpoint has accepted a webhook
 * recently, and has not failed since. All other endpoints are unproven, and may be dead. They have separate slots, so
 * that they never delay proven endpoints.
 */
const CONCURRENT_PROVEN = 32;
const CONCURRENT_UNPROVEN = 32;
/** How long an endpoint remains proven after it has accepted a webhook, unless it fails earlier. */
const PROVEN_FOR_MS = 24 * 3_600_000;
/**
 * A round sends deliveries to one endpoint. If a round to a proven endpoint takes longer than this, the endpoint may
 * have died. The round then continues without a slot, so that another endpoint can use the slot.
 */
const SLOW_AFTER_MS = 1_000;
/** The maximum number of rounds at the same time, including slow rounds. This limits the open sockets of a process. */
const MAX_ROUNDS = 256;
/** The duration of a lease. A lease must last longer than an attempt and the writes before and after it. */
const LEASE_MS = 60_000;
/** While requests run, the process looks for new deliveries at this interval. */
const LOOK_INTERVAL_MS = 1_000;
const USER_AGENT = 'Affkit-Webhooks/1';

/**
 * Sends due webhooks until none is due. A round leases an endpoint, sends some of its deliveries outside of a
 * transaction, and stores the results. If the process ends before it stores the results, another process sends the
 * deliveries again when the lease has expired, with the same `webhook-id`.
 * @param signal stops the search for due endpoints; rounds that are running are completed
 * @returns always false, because it ends only when no more work is due, or when the process stops
 */
export async function deliverWebhooks(runtime: Runtime, signal?: AbortSignal): Promise<boolean> {
  const rounds = new Map<number, Round>();
  const failures: unknown[] = [];
  while (!signal?.aborted && failures.length === 0) {
    // If a round ends during the search, its endpoint becomes free, but the search may have seen it as leased.
    // So the loop ends only if no round was running when the search began.
    const wasIdle = rounds.size === 0;
    const started = await startRounds(runtime, rounds, failures);
    if (started > 0) continue;
    if (wasIdle) break;
    // Wait until a round ends and frees a slot, but at most for the interval. Without this maximum, a slow
    // round would delay deliveries that become due meanwhile.
    if (rounds.size > 0)
      await Promise.race([...ends(rounds), sleep(LOOK_INTERVAL_MS, undefined, { ref: false })]);
  }
  await Promise.all(ends(rounds));
  throwFailures(failures);
  return false;
}

interface Round {
  readonly isProven: boolean;
  /** On the clock of `performance.now()`. */
  readonly startedAt: number;
  /** Fulfills when the round has ended. Never rejects. */
  readonly end: Promise<void>;
}

/** @returns the number of rounds that were started */
async function startRounds(
  runtime: Runtime,
  rounds: Map<number, Round>,
  failures: unknown[],
): Promise<number> {
  let started = 0;
  for (const isProven of [true, false]) {
    const limit = freeSlots(rounds, isProven);
    if (limit <= 0) continue;
    const now = runtime.now();
    const selection = { now, limit, isProven, provenSince: now - PROVEN_FOR_MS };
    for (const id of await findDueEndpoints(runtime.engine.read, selection)) {
      if (rounds.has(id)) continue;
      const leased = await write(runtime, (tx) => {
        const leasedAt = runtime.now();
        return leaseEndpoint(tx, id, { now: leasedAt, leasedUntil: leasedAt + LEASE_MS });
      });
      if (leased === null) continue;
      started++;
      const end = runRound(runtime, leased)
        .catch((error: unknown) => {
          failures.push(error);
        })
        .finally(() => rounds.delete(id));
      rounds.set(id, { isProven, startedAt: performance.now(), end });
    }
  }
  return started;
}

function freeSlots(rounds: ReadonlyMap<number, Round>, isProven: boolean): number {
  const slowSince = performance.now() - SLOW_AFTER_MS;
  const occupied = [...rounds.values()].filter(
    (round) => round.isProven === isProven && (!isProven || round.startedAt > slowSince),
  );
  const slots = isProven ? CONCURRENT_PROVEN : CONCURRENT_UNPROVEN;
  return Math.min(slots - occupied.length, MAX_ROUNDS - rounds.size);
}

function ends(rounds: ReadonlyMap<number, Round>): Promise<void>[] {
  return [...rounds.values()].map(({ end }) => end);
}

/**
 * Runs a transaction without locking its lane (its write queue) in other processes. No lock is needed, because the rows
 * of different endpoints are independent.
 */
function write<T>(runtime: Runtime, work: Work<T>): Promise<T> {
  return runtime.engine.write(SERVICE_LANE, work, () => []);
}

async function runRound(runtime: Runtime, endpoint: LeasedEndpoint): Promise<void> {
  const now = runtime.now();
  const limit = endpoint.failures >= MAX_FAILURES ? 1 : CONCURRENT_DELIVERIES;
  const due = await listDueDeliveries(runtime.engine.read, endpoint.id, { now, limit });
  const secrets = signingSecrets(runtime, endpoint);
  const attempts = await Promise.all(
    due.map((delivery) => attemptDelivery(runtime, endpoint, delivery, secrets)),
  );
  await write(runtime, (tx) => storeRound(tx, runtime, endpoint, attempts));
}

interface Attempt {
  readonly result: AttemptResult;
  readonly isGone: boolean;
}

async function attemptDelivery(
  runtime: Runtime,
  { url, leasedAt }: LeasedEndpoint,
  delivery: DueDelivery,
  secrets: readonly string[],
): Promise<Attempt> {
  const at = runtime.now();
  const body = webhookBody(delivery);
  const headers = {
    'content-type': 'application/json',
    'user-agent': USER_AGENT,
    ...signatureHeaders(delivery.event_id, body, secrets, at),
  };
  const response = await sendUnless(runtime, whyNot(secrets, at - leasedAt), { url, headers, body });
  const isSuccess = response.status !== null && response.status >= 200 && response.status < 300;
  const isGone = response.status === 410;
  const retryAt = runtime.now() + retryDelayMs(delivery.attempts + 1 - delivery.first_attempt, Math.random());
  const isFinal = isSuccess || isGone || retryAt > delivery.expires_at;
  const outcome = isSuccess ? 'succeeded' : isFinal ? 'given_up' : 'retried';
  runtime.telemetry?.measure('affkit.webhook.attempts', 1, { outcome });
  return {
    isGone,
    result: {
      delivery,
      status: isSuccess ? 'succeeded' : isFinal ? 'failed' : 'queued',
      runAt: isFinal ? null : retryAt,
      at: runtime.now(),
      log: {
        attempted_at: at,
        duration_ms: response.durationMs,
        request_headers: JSON.stringify(headers),
        status: response.status,
        response_headers: response.headers && JSON.stringify(response.headers),
        response_body: response.body,
        error: response.error ?? (isSuccess ? null : `The endpoint answered with ${response.status}.`),
      },
    },
  };
}

/** Returns the reason why the request must not be sent, or null if it may be sent. */
function whyNot(secrets: readonly string[], leaseAgeMs: number): string | null {
  if (secrets.length === 0) {
    return 'The secret cannot be decrypted, because AFFKIT_SECRET has changed. Restore AFFKIT_SECRET, or rotate the secret of the endpoint.';
  }
  // After a process was suspended, the lease may have expired, and another process may be sending the webhook.
  return leaseAgeMs >= LEASE_MS ? 'The process was suspended before it could send the webhook.' : null;
}

async function sendUnless(
  { webhookSender, telemetry }: Runtime,
  fault: string | null,
  request: Parameters<Runtime['webhookSender']['send']>[0],
): Promise<WebhookResponse> {
  if (fault !== null) return { status: null, headers: null, body: null, error: fault, durationMs: 0 };
  const span = { name: 'send webhook', attributes: { 'http.request.method': 'POST' } };
  const response = await traceCall(
    telemetry,
    span,
    () => webhookSender.send(request),
    ({ status }) => (status === null ? 'no_response' : status >= 300 ? String(status) : null),
  );
  telemetry?.measure('affkit.webhook.duration', response.durationMs / 1000);
  return response;
}

async function storeRound(
  tx: Transaction,
  runtime: Runtime,
  endpoint: LeasedEndpoint,
  attempts: readonly Attempt[],
): Promise<void> {
  const at = runtime.now();
  const succeeded = attempts.some(({ result }) => result.status === 'succeeded');
  const failed = attempts.filter(({ result }) => result.status !== 'succeeded').length;
  const outcome = await finishRound(tx, endpoint, {
    succeeded,
    failed,
    isGone: attempts.some(({ isGone }) => isGone),
    blockedUntil: at + blockMs(endpoint.failures + failed, Math.random()),
    at,
  });
  let dead = 0;
  for (const { result, isGone } of attempts) {
    // A failure of the earlier URL says nothing about the new URL.
    const isForNewUrl = outcome === 'moved' && result.status !== 'succeeded';
    const stored = isForNewUrl ? { ...result, status: 'queued' as const, runAt: at } : result;
    const status = await finishAttempt(tx, stored);
    if (status === 'failed' && !isGone) dead++;
  }
  if (outcome === 'paused') await notifyEndpointPaused(tx, runtime, endpoint);
  if (dead > 0) await notifyDeadLetters(tx, runtime, endpoint, dead);
}
