import { DAY_MS } from '../domain/calendar.ts';
import type { PayoutProvider } from '../payout-provider/provider.ts';
import type { Runtime } from '../runtime.ts';
import type { LeasedTransfer } from '../storage/money/payout-transfers.ts';

/**
 * A payout without a result becomes unclear this long after it was sent, so that a user can enter the result. Affkit
 * sends a payout to PayPal for up to 25 days. If nobody claims the payment, its result takes another 30 days.
 */
export const RESULT_LIMIT_MS = 60 * DAY_MS;
/**
 * How long lookups of a payment are retried after the lifetime of its idempotency key has ended. The operator may need
 * this time, for example to replace revoked API credentials.
 */
const LOOKUP_LIMIT_MS = 7 * DAY_MS;

/** Whether the provider should have reported the result of an accepted payout long ago. */
export function isResultOverdue(runtime: Runtime, leased: LeasedTransfer): boolean {
  return leased.state === 'accepted' && ageOf(runtime, leased) > RESULT_LIMIT_MS;
}

/** Whether the provider may have forgotten the idempotency key of an earlier attempt. */
export function isKeyExpired(runtime: Runtime, provider: PayoutProvider, leased: LeasedTransfer): boolean {
  return ageOf(runtime, leased) > provider.keyLifetimeMs;
}

/** Whether Affkit has tried for long enough to look up an earlier attempt, or to send the payout again. */
export function isLookupOverdue(runtime: Runtime, provider: PayoutProvider, leased: LeasedTransfer): boolean {
  return ageOf(runtime, leased) > provider.keyLifetimeMs + LOOKUP_LIMIT_MS;
}

/** Returns the time since the first attempt, or 0 if there was none. */
function ageOf(runtime: Runtime, { sent_at: sentAt }: LeasedTransfer): number {
  return sentAt === null ? 0 : runtime.now() - sentAt;
}

/**
 * Returns the error of a payout that must not be sent again, because the provider may have forgotten the payout's
 * idempotency key.
 */
export function keyExpiredText({ provider, last_error: lastError }: LeasedTransfer): string {
  const advice = `${provider} has not answered for so long that another attempt could pay twice. Look up the payout at ${provider}, and import the result.`;
  return lastError === null ? advice : `${advice} Last error: ${lastError}`;
}

/** Returns the error of a payout for which Affkit no longer waits. */
export function overdueText({ provider }: LeasedTransfer, lastError: string | null): string {
  const advice = `Affkit could not get the result from ${provider} in time. Look up the payout at ${provider}, and import the result.`;
  return lastError === null ? advice : `${advice} Last error: ${lastError}`;
}
