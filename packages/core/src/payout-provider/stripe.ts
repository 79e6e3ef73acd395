import { currencyExponent, fromStripeUnits, toStripeUnits } from '@affkit/protocol';
import { isSigned, readSignature } from '../processor/signature.ts';
import { asObject, asObjects, asText, callApi, type Json, parseObject } from './call-api.ts';
import {
  PayoutNotSent,
  type PayoutProvider,
  PayoutRefused,
  type ProviderPayout,
  type ProviderTransfer,
} from './provider.ts';

/** A Stripe platform account. Its balance pays the connected accounts of partners. */
export interface StripePayoutSettings {
  /** A secret or restricted key that may write transfers. */
  readonly secretKey: string;
  /**
   * The signing secret of a webhook endpoint for `transfer.*`. Without this secret, Affkit does not learn of
   * reversed transfers.
   */
  readonly webhookSecret?: string | undefined;
  /** @default https://api.stripe.com; without a trailing slash */
  readonly apiUrl?: string;
}

/**
 * How long a call can be repeated with the same key without paying twice. Stripe keeps idempotency keys for at least
 * 24 hours, and the constant is smaller, to leave a margin:
 * https://docs.stripe.com/api/idempotent_requests
 */
const KEY_LIFETIME_MS = 20 * 3_600_000;

/**
 * Errors about the platform account that pays, not about the partner: https://docs.stripe.com/error-codes. Stripe
 * reports most of them with the same type and HTTP status as a wrong destination.
 */
const PAYER_FAULTS = new Set([
  'api_key_expired',
  'balance_insufficient',
  'platform_account_required',
  'platform_api_key_expired',
  'transfers_not_allowed',
]);

/**
 * Pays with Stripe Connect: each payout is a transfer to the partner's connected account. Stripe deletes
 * idempotency keys after some time. The key is therefore also stored as the `transfer_group` of the transfer, so
 * that the transfer can be found later.
 */
export function createStripeProvider({
  secretKey,
  webhookSecret,
  apiUrl = 'https://api.stripe.com',
}: StripePayoutSettings): PayoutProvider {
  const authorization = `Bearer ${secretKey}`;

  const read = async (path: string, signal: AbortSignal): Promise<Json> => {
    const { status, json } = await callApi(`${apiUrl}/v1/transfers${path}`, {
      headers: { authorization },
      signal,
    });
    if (status !== 200) throw new Error(`Stripe did not return a transfer (${faultOf(status, json)}).`);
    return json;
  };

  return {
    name: 'stripe',
    keyLifetimeMs: KEY_LIFETIME_MS,
    check: ({ details, amountCents, currency }) => {
      if (details.method !== 'stripe' || details.stripe_account_id === null) return 'other_method';
      // Stripe requires a last digit of 0 in currencies with three decimals: https://docs.stripe.com/currencies
      const step = currencyExponent(currency) === 3 ? 10 : 1;
      const isAccepted = Number.isInteger(toStripeUnits(amountCents, currency)) && amountCents % step === 0;
      return isAccepted ? null : 'unsupported_amount';
    },
    send: async (payout, key, signal) => {
      const { status, json } = await callApi(`${apiUrl}/v1/transfers`, {
        method: 'POST',
        headers: {
          authorization,
          'content-type': 'application/x-www-form-urlencoded',
          'idempotency-key': key,
        },
        body: toTransferRequest(payout, key),
        signal,
      });
      if (status === 200) return readTransfer(json);
      const fault = faultOf(status, json);
      if ([401, 403, 429].includes(status))
        throw new PayoutNotSent(`Stripe did not accept the call (${fault}).`);
      const error = asObject(json['error']);
      if (error?.['type'] === 'invalid_request_error' && [400, 402, 404].includes(status)) {
        if (PAYER_FAULTS.has(asText(error['code']) ?? ''))
          throw new PayoutNotSent(`Stripe did not send the payout: ${fault}`, { isKeyUsed: true });
        throw new PayoutRefused(`Stripe refused the payout: ${fault}`);
      }
      throw new Error(`It is unknown whether Stripe has accepted the payout (${fault}).`);
    },
    find: async (key, signal) => {
      const { data } = await read(`?limit=1&transfer_group=${encodeURIComponent(key)}`, signal);
      const [transfer] = asObjects(data);
      return transfer ? readTransfer(transfer) : null;
    },
    readStatus: async (id, signal) => readTransfer(await read(`/${encodeURIComponent(id)}`, signal)),
    readWebhook: ({ header, bytes, now }) => {
      const signature = readSignature(header('stripe-signature'), now);
      const isGenuine =
        webhookSecret !== undefined && signature !== null && isSigned(signature, bytes, [webhookSecret]);
      return Promise.resolve(isGenuine ? changedIn(parseObject(new TextDecoder().decode(bytes))) : null);
    },
  };
}

function toTransferRequest(
  { reference, amountCents, currency, programName, details }: ProviderPayout,
  key: string,
) {
  return new URLSearchParams({
    amount: String(toStripeUnits(amountCents, currency)),
    currency: currency.toLowerCase(),
    destination: details.stripe_account_id ?? '',
    transfer_group: key,
    description: `${programName} ${reference}`,
    'metadata[payout]': reference,
  }).toString();
}

function readTransfer(json: Json): ProviderTransfer {
  const id = asText(json['id']);
  if (id === null) throw new Error('Stripe returned a transfer without an id.');
  const isReversed = json['reversed'] === true;
  const { amount } = json;
  const currency = asText(json['currency'])?.toUpperCase() ?? null;
  return {
    id,
    status: isReversed ? 'failed' : 'paid',
    transactionId: id,
    reason: isReversed ? 'Stripe: the transfer was reversed' : null,
    payment: {
      key: asText(json['transfer_group']),
      amountCents: typeof amount === 'number' && currency !== null ? fromStripeUnits(amount, currency) : null,
      currency,
    },
  };
}

function faultOf(status: number, json: Json): string {
  const error = asObject(json['error']);
  const parts = [error?.['code'] ?? error?.['type'] ?? `HTTP ${status}`, error?.['message']];
  return parts.flatMap((part) => asText(part) ?? []).join(': ');
}

function changedIn(event: Json | null) {
  // Ignore events with an account, because they are about transfers that a connected account has made itself.
  const isTransfer =
    asText(event?.['type'])?.startsWith('transfer.') === true && asText(event?.['account']) === null;
  const transfer = asObject(asObject(event?.['data'])?.['object']);
  const id = asText(transfer?.['id']);
  return isTransfer && id !== null ? [{ id, key: asText(transfer?.['transfer_group']) }] : [];
}
