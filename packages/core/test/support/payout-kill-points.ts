import { PayPalStub } from './paypal-stub.ts';
import { StripeTransfersStub } from './stripe-transfers-stub.ts';

/** What a process does when it is killed: it sends payouts, reads their results, or repeats failed calls. */
type Phase = 'send' | 'read' | 'retry';

/** Where a process is killed: in its `n`th transaction, or when its `n`th call to the provider reaches the step `at`. */
export type CrashPoint =
  | { readonly phase: Phase; readonly at: 'write'; readonly n: number; readonly isCommitted: boolean }
  | {
      readonly phase: Phase;
      readonly at: 'received' | 'moved' | 'replied' | 'read' | 'found';
      readonly n: number;
    };

/** A stub of a payment service, and the points at which a process that sends payouts is killed. */
export interface KillableService {
  readonly stub: PayPalStub | StripeTransfersStub;
  /** The points at which a process is killed, one per round. A short test run uses each of the first points on one database. */
  readonly points: readonly CrashPoint[];
  accountOf(code: string): string;
  /** Empties the service before a round. */
  empty(): void;
  /** In the phase `retry`, makes the calls of the first attempt fail, so that the process repeats these calls. */
  prepare(phase: Phase): void;
  /** Gives all payments their result. */
  settle(): void;
}

function writesUpTo(count: number, phase: Phase): CrashPoint[] {
  return Array.from({ length: count }, (_, index) => index + 1).flatMap((n) =>
    [false, true].map((isCommitted): CrashPoint => ({ phase, at: 'write', n, isCommitted })),
  );
}

/** PayPal needs two calls for a payout: the first call sends the payout, and the second call reads its result. */
export async function killablePayPal(): Promise<KillableService> {
  const stub = await PayPalStub.start();
  return {
    stub,
    points: [
      // The first four points: after a payment is made, while a result is stored, before the id of a payment is
      // stored, and after a lease is stored.
      { phase: 'send', at: 'moved', n: 2 },
      { phase: 'read', at: 'write', n: 5, isCommitted: false },
      { phase: 'send', at: 'write', n: 3, isCommitted: false },
      { phase: 'send', at: 'write', n: 1, isCommitted: true },
      ...[1, 2].flatMap((n): CrashPoint[] => [
        { phase: 'send', at: 'received', n },
        { phase: 'send', at: 'moved', n: 1 },
        { phase: 'send', at: 'replied', n },
        { phase: 'read', at: 'read', n },
      ]),
      ...writesUpTo(4, 'send'),
      ...writesUpTo(8, 'read'),
    ],
    accountOf: (code) => `${code}@paypal.test`,
    empty: () => {
      stub.payouts.length = 0;
      stub.created.length = 0;
    },
    prepare: () => {},
    settle: () => {
      for (const payout of stub.payouts) payout.status = 'SUCCESS';
    },
  };
}

/** Stripe pays immediately. Before the process repeats a payment, it looks for an existing transfer. */
export async function killableStripe(): Promise<KillableService> {
  const stub = await StripeTransfersStub.start();
  return {
    stub,
    points: [
      // The first two points: while a result is stored, and while the process looks up an existing transfer.
      { phase: 'send', at: 'write', n: 5, isCommitted: false },
      { phase: 'retry', at: 'found', n: 1 },
      ...[1, 2].flatMap((n): CrashPoint[] => [
        { phase: 'send', at: 'received', n },
        { phase: 'send', at: 'moved', n },
        { phase: 'send', at: 'replied', n },
        { phase: 'retry', at: 'found', n },
      ]),
      ...(['received', 'moved', 'replied'] as const).map((at): CrashPoint => ({ phase: 'retry', at, n: 1 })),
      ...writesUpTo(8, 'send'),
      ...writesUpTo(8, 'retry'),
    ],
    accountOf: (code) => `acct_${code}`,
    empty: () => {
      stub.transfers.length = 0;
      stub.created.length = 0;
      stub.replies.clear();
    },
    prepare: (phase) => {
      // In the phase `retry`, the connections of the first two requests are reset. The first request makes its payment
      // before the reset, and the second makes none.
      const isRetry = phase === 'retry';
      stub.faults = [true, false].flatMap((moves) => (isRetry ? [{ kind: 'reset', moves }] : []));
    },
    settle: () => {},
  };
}
