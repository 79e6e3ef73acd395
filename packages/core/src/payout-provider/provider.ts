import type { PayoutProviderName } from '@affkit/protocol';
import type { PayoutDetails } from '../domain/payout-details.ts';

/** A payout that a payment service pays. */
export interface ProviderPayout {
  /** The reference of the payout within its program, such as `P7-12`: payout 12 of batch 7. */
  readonly reference: string;
  /** The amount in the smallest unit of the currency by ISO 4217: 1999 for 19.99 USD, 1999 for 1999 JPY. */
  readonly amountCents: number;
  /** The currency code of ISO 4217, such as `USD`. */
  readonly currency: string;
  /** The name of the program that pays. */
  readonly programName: string;
  /** The account to which the partner is paid. */
  readonly details: PayoutDetails;
}

/**
 * Why a provider cannot pay a payout. `unsupported_amount` means that the provider accepts the currency, but with
 * fewer decimals.
 */
export type UnpayableReason =
  | 'other_method'
  | 'other_currency'
  | 'amount_too_large'
  | 'unsupported_amount'
  | 'unsupported_text';

/** A payment as the payment service reports it. A value that the service does not report is null. */
export interface ProviderPayment {
  /** The idempotency key with which the payment was sent. */
  readonly key: string | null;
  /** In the smallest unit of the currency by ISO 4217, like `ProviderPayout.amountCents`. */
  readonly amountCents: number | null;
  readonly currency: string | null;
}

/** A payment at the payment service. */
export interface ProviderTransfer {
  /** The id of the payment at the payment service, for `readStatus`. */
  readonly id: string;
  /**
   * - `pending`: the service has accepted the payment, but has no result yet.
   * - `paid`: the partner has the money.
   * - `failed`: the money is back in the payer's account, or has never left it.
   */
  readonly status: 'pending' | 'paid' | 'failed';
  /** The id that the partner sees, or null if there is none yet. */
  readonly transactionId: string | null;
  /** Why the payment failed or is delayed, for the advertiser. Null if there is no reason to show. */
  readonly reason: string | null;
  /**
   * Whether the payment failed because of the payer's account, for example because its balance is too low. The partner
   * then gets no email, because the reason is about the payer's finances.
   *
   * @default false
   */
  readonly isPayerFault?: boolean;
  /**
   * The payment as the service reports it. If the payment differs from the payment that Affkit sent, the
   * payout does not change. Null if the reply does not contain the payment.
   */
  readonly payment: ProviderPayment | null;
}

/** A webhook request. */
export interface PayoutWebhook {
  /** Returns the value of a header. @param name in lower case */
  header(name: string): string | undefined;
  /** The raw body, which the signature covers. */
  readonly bytes: Uint8Array;
  /** The time at which the webhook arrived, in epoch milliseconds. */
  readonly now: number;
  /** Ends calls to the service after a timeout. */
  readonly signal: AbortSignal;
}

/** A payment that a webhook is about. */
export interface ChangedTransfer {
  /** The id of the payment at the payment service. */
  readonly id: string;
  /** The idempotency key with which the payment was sent, if the webhook contains it. */
  readonly key: string | null;
}

/**
 * Sends payouts through the API of a payment service. Before Affkit calls `send`, it stores the idempotency key
 * and the fact that the payout is being sent. After an unknown outcome, it repeats the call only with the same key.
 * Several calls may run at the same time, also in several processes.
 */
export interface PayoutProvider {
  /** Batches use the channel `provider:`, followed by this name. */
  readonly name: PayoutProviderName;
  /**
   * How long the service recognizes a repeated idempotency key, in milliseconds. Choose a shorter time than
   * the service documents. After this time, Affkit repeats `send` only if `find` reports that the payment does
   * not exist. If `find` still fails a week later, a user must look up the payment.
   */
  readonly keyLifetimeMs: number;
  /** Checks the method, the currency, and the amount. @returns why the payout cannot be paid, or null */
  check(payout: ProviderPayout): UnpayableReason | null;
  /**
   * Sends a payout. The service must pay only once for the same key.
   *
   * @param key a random idempotency key of 32 hexadecimal digits
   * @param signal ends the call after a timeout
   * @throws PayoutRefused when the service refused the payout, so that the payout was not paid and never will
   * be
   * @throws PayoutNotSent when the service has certainly not paid, and the cause is not the payout itself. An
   * example is a balance that is too low. Affkit retries. After any other error, the outcome counts as
   * unknown.
   */
  send(payout: ProviderPayout, key: string, signal: AbortSignal): Promise<ProviderTransfer>;
  /**
   * Looks up a payment by its idempotency key. Returns null when the payment does not exist. Affkit calls this
   * function before it repeats `send`. Leave out `find` if the service cannot look up payments.
   */
  readonly find?: (key: string, signal: AbortSignal) => Promise<ProviderTransfer | null>;
  /** Reads the current state of a payment. @param id the id that `send` returned */
  readStatus(id: string, signal: AbortSignal): Promise<ProviderTransfer>;
  /**
   * Verifies the signature of a webhook. A webhook only names the payments that may have changed. Affkit reads
   * their state with `readStatus`, so repeated and reordered webhooks cannot change a result.
   *
   * @returns null when the signature is not valid
   */
  readWebhook(webhook: PayoutWebhook): Promise<readonly ChangedTransfer[] | null>;
}

/**
 * Throw this error when the service definitely refused a payout because of the receiver or the payment. The message is
 * shown to the advertiser, and emailed to the partner.
 */
export class PayoutRefused extends Error {
  override readonly name = 'PayoutRefused';
}

/**
 * Throw this error when a payout has certainly not been sent and the payout itself is not the cause. For example, the
 * payer's credentials are not valid or the payer's balance is too low. Only the advertiser sees the message.
 */
export class PayoutNotSent extends Error {
  override readonly name = 'PayoutNotSent';
  /**
   * Whether the service has stored this reply under the idempotency key. If so, a retry with the same key
   * would get the same reply, so Affkit retries with a new key.
   */
  readonly isKeyUsed: boolean;

  /** @param options.isKeyUsed false by default */
  constructor(
    message: string,
    { isKeyUsed = false, ...options }: ErrorOptions & { readonly isKeyUsed?: boolean } = {},
  ) {
    super(message, options);
    this.isKeyUsed = isKeyUsed;
  }
}
