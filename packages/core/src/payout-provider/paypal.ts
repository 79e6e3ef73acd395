import { DAY_MS } from '../domain/calendar.ts';
import { parseMajorUnits } from '../domain/money.ts';
import { formatPayPalAmount, whyNotPayPalAmount } from '../domain/payout-files/paypal-amount.ts';
import { type ApiReply, asObject, asObjects, asText, callApi, type Json, parseObject } from './call-api.ts';
import {
  type ChangedTransfer,
  PayoutNotSent,
  type PayoutProvider,
  PayoutRefused,
  type PayoutWebhook,
  type ProviderPayment,
  type ProviderPayout,
  type ProviderTransfer,
} from './provider.ts';

/** The credentials of a PayPal REST app. The feature Payouts must be enabled for the app. */
export interface PayPalSettings {
  readonly clientId: string;
  readonly secret: string;
  /** The id of the webhook in the app's settings. Without this id, Affkit learns results only by polling. */
  readonly webhookId?: string | undefined;
  /**
   * The URL of PayPal's API without a trailing slash: `https://api-m.paypal.com`, or
   * `https://api-m.sandbox.paypal.com` for tests.
   */
  readonly apiUrl: string;
}

/**
 * How long a call can be repeated with the same key without paying twice. PayPal documents that it recognizes a
 * repeated `sender_batch_id` and `PayPal-Request-Id` for 30 days. The constant is smaller, to leave a margin.
 */
const KEY_LIFETIME_MS = 25 * DAY_MS;
/** An access token is renewed this long before it expires. */
const TOKEN_MARGIN_MS = 60_000;
/**
 * Errors about the account that pays, not about the partner:
 * https://developer.paypal.com/payouts/view-transactions
 */
const PAYER_FAULTS = new Set([
  'INSUFFICIENT_FUNDS',
  'SENDER_ACCOUNT_LOCKED',
  'SENDER_ACCOUNT_UNVERIFIED',
  'SENDER_EMAIL_UNCONFIRMED',
  'SENDER_RESTRICTED',
  'SENDER_STATE_RESTRICTED',
  'SPENDING_LIMIT_EXCEEDED',
  'USER_COUNTRY_NOT_ALLOWED',
  'USER_FUNDING_SOURCE_INELIGIBLE',
]);

const STATUS: Readonly<Record<string, ProviderTransfer['status']>> = {
  SUCCESS: 'paid',
  PENDING: 'pending',
  UNCLAIMED: 'pending',
  ONHOLD: 'pending',
  FAILED: 'failed',
  DENIED: 'failed',
  CANCELED: 'failed',
  RETURNED: 'failed',
  BLOCKED: 'failed',
  REFUNDED: 'failed',
  REVERSED: 'failed',
};

/**
 * Sends payouts with PayPal's Payouts API. Each payout is in its own PayPal batch, so a payout that PayPal
 * refuses does not affect the others.
 */
export function createPayPalProvider({
  clientId,
  secret,
  webhookId,
  apiUrl,
}: PayPalSettings): PayoutProvider {
  let token: { readonly text: string; readonly expiresAt: number } | null = null;

  const authorize = async (signal: AbortSignal): Promise<string> => {
    if (token !== null && token.expiresAt > Date.now()) return token.text;
    const basic = Buffer.from(`${clientId}:${secret}`).toString('base64');
    const { status, json } = await callApi(`${apiUrl}/v1/oauth2/token`, {
      method: 'POST',
      headers: { authorization: `Basic ${basic}`, 'content-type': 'application/x-www-form-urlencoded' },
      body: 'grant_type=client_credentials',
      signal,
    });
    const text = asText(json['access_token']);
    if (status !== 200 || text === null) {
      throw new Error(
        status === 401
          ? 'PayPal does not accept the client id and secret. Check PAYPAL_CLIENT_ID, PAYPAL_SECRET and PAYPAL_API.'
          : `PayPal did not issue an access token (HTTP ${status}).`,
      );
    }
    token = { text, expiresAt: Date.now() + Number(json['expires_in'] ?? 0) * 1_000 - TOKEN_MARGIN_MS };
    return text;
  };

  const call = async (
    access: string,
    path: string,
    signal: AbortSignal,
    init: RequestInit = {},
  ): Promise<ApiReply> => {
    const headers = {
      authorization: `Bearer ${access}`,
      'content-type': 'application/json',
      ...init.headers,
    };
    const answer = await callApi(`${apiUrl}${path}`, { ...init, headers, signal });
    if (answer.status === 401) token = null;
    return answer;
  };

  const readStatus = async (id: string, signal: AbortSignal): Promise<ProviderTransfer> => {
    const path = `/v1/payments/payouts/${encodeURIComponent(id)}`;
    const { status, json } = await call(await authorize(signal), path, signal);
    if (status !== 200) throw new Error(`PayPal did not return the payout ${id} (${faultOf(status, json)}).`);
    return readBatch(id, json);
  };

  return {
    name: 'paypal',
    keyLifetimeMs: KEY_LIFETIME_MS,
    check: ({ details, currency, amountCents }) => {
      if (details.method !== 'paypal' || details.email === null) return 'other_method';
      return whyNotPayPalAmount(amountCents, currency);
    },
    send: async (payout, key, signal) => {
      const access = await authorize(signal).catch((error: unknown) => {
        throw new PayoutNotSent(error instanceof Error ? error.message : String(error), { cause: error });
      });
      const { status, json } = await call(access, '/v1/payments/payouts', signal, {
        method: 'POST',
        headers: { 'paypal-request-id': key },
        body: JSON.stringify(toBatchRequest(payout, key)),
      });
      if (status === 201 || status === 200 || status === 202) {
        const id = asText(asObject(json['batch_header'])?.['payout_batch_id']);
        if (id === null) throw new Error('PayPal accepted the payout without an id.');
        return { id, status: 'pending', transactionId: null, reason: null, payment: null };
      }
      if (isDuplicate(json)) {
        const id = originalOf(json);
        if (id !== null) return { id, status: 'pending', transactionId: null, reason: null, payment: null };
        throw new Error(
          'PayPal already has this payout, but did not return its id. PayPal will send the id with a webhook.',
        );
      }
      const fault = faultOf(status, json);
      if ([400, 403, 422].includes(status) && isPayerFault(json))
        throw new PayoutNotSent(`PayPal did not send the payout: ${fault}`, { isKeyUsed: true });
      if ([401, 403, 429].includes(status))
        throw new PayoutNotSent(`PayPal did not accept the call (${fault}).`);
      if (status === 400 || status === 422) throw new PayoutRefused(`PayPal refused the payout: ${fault}`);
      throw new Error(`It is unknown whether PayPal has accepted the payout (${fault}).`);
    },
    readStatus,
    readWebhook: async (webhook) => {
      const request = webhookId === undefined ? null : toVerification(webhook, webhookId);
      if (request === null) return null;
      const { status, json } = await call(
        await authorize(webhook.signal),
        '/v1/notifications/verify-webhook-signature',
        webhook.signal,
        { method: 'POST', body: request.body },
      );
      if (status !== 200 && status !== 400) {
        throw new Error(`PayPal could not verify a webhook (${faultOf(status, json)}).`);
      }
      return status === 200 && json['verification_status'] === 'SUCCESS' ? changedIn(request.event) : null;
    },
  };
}

function toBatchRequest(
  { reference, amountCents, currency, programName, details }: ProviderPayout,
  key: string,
) {
  return {
    sender_batch_header: {
      sender_batch_id: key,
      recipient_type: 'EMAIL',
      email_subject: `You have a payout from ${programName}`.slice(0, 255),
    },
    items: [
      {
        recipient_type: 'EMAIL',
        receiver: details.email,
        amount: { value: formatPayPalAmount(amountCents, currency), currency },
        sender_item_id: reference,
        recipient_wallet: 'PAYPAL',
      },
    ],
  };
}

function readBatch(id: string, json: Json): ProviderTransfer {
  const header = asObject(json['batch_header']);
  const batchStatus = asText(header?.['batch_status']) ?? 'PENDING';
  const [item] = asObjects(json['items']);
  const isDenied = batchStatus === 'DENIED' || batchStatus === 'CANCELED';
  const code = asText(item?.['transaction_status']) ?? (isDenied ? batchStatus : 'PENDING');
  const errors = asObject(item?.['errors']);
  const name = asText(errors?.['name']);
  const message = asText(errors?.['message']) ?? name;
  // An unknown state may not be final, so the payment counts as pending.
  const status = STATUS[code] ?? 'pending';
  return {
    id,
    status,
    transactionId: asText(item?.['transaction_id']) ?? asText(item?.['payout_item_id']),
    reason: code === 'SUCCESS' ? null : `PayPal: ${code}${message === null ? '' : ` (${message})`}`,
    // PayPal denies a batch as a whole because of the payer, for example because the balance is too low.
    isPayerFault: status === 'failed' && (name === null ? isDenied : PAYER_FAULTS.has(name)),
    payment: paymentIn(header, item),
  };
}

function paymentIn(header: Json | null, item: Json | undefined): ProviderPayment {
  const amount = asObject(asObject(item?.['payout_item'])?.['amount']);
  const currency = asText(amount?.['currency']);
  const value = asText(amount?.['value']);
  return {
    key: asText(asObject(header?.['sender_batch_header'])?.['sender_batch_id']),
    amountCents: value === null || currency === null ? null : parseMajorUnits(value, currency),
    currency,
  };
}

function faultOf(status: number, json: Json): string {
  const [detail] = asObjects(json['details']);
  const parts = [json['name'] ?? `HTTP ${status}`, json['message'], detail?.['field'], detail?.['issue']];
  return parts.flatMap((part) => asText(part) ?? []).join(': ');
}

/**
 * Whether the error is about the account that pays. PayPal names the fault in the error itself or in its
 * details.
 */
function isPayerFault(json: Json): boolean {
  const names = [json['name'], ...asObjects(json['details']).map(({ issue }) => issue)];
  return names.some((name) => PAYER_FAULTS.has(asText(name) ?? ''));
}

/** Whether PayPal rejected the call because it has already seen the `sender_batch_id`. */
function isDuplicate(json: Json): boolean {
  return (
    json['name'] === 'DUPLICATE_REQUEST_ID' ||
    asObjects(json['details']).some(
      ({ field, issue }) =>
        /sender_batch_id$/i.test(asText(field) ?? '') && /duplicate|already/i.test(asText(issue) ?? ''),
    )
  );
}

/** Returns the id of the original payout. PayPal's error for a duplicate contains a link to the original. */
function originalOf(json: Json): string | null {
  const links = asObjects(json['links']).flatMap(({ href }) => asText(href) ?? []);
  const [, id] = links.map((href) => /\/payments\/payouts\/([\w-]+)/.exec(href)).find(Boolean) ?? [];
  return id ?? null;
}

const SIGNATURE_HEADERS = {
  auth_algo: 'paypal-auth-algo',
  cert_url: 'paypal-cert-url',
  transmission_id: 'paypal-transmission-id',
  transmission_sig: 'paypal-transmission-sig',
  transmission_time: 'paypal-transmission-time',
} as const;

/** @returns null when a header is missing or the body is not a JSON object */
function toVerification(
  { header, bytes }: PayoutWebhook,
  webhookId: string,
): { body: string; event: Json } | null {
  const text = new TextDecoder().decode(bytes);
  const event = parseObject(text);
  const fields = Object.entries(SIGNATURE_HEADERS).map(([field, name]) => [field, header(name)] as const);
  if (event === null || fields.some(([, value]) => value === undefined)) return null;
  const signed = JSON.stringify({ ...Object.fromEntries(fields), webhook_id: webhookId });
  // The signature covers the bytes of the event, so the event must not be serialized again.
  return { event, body: `${signed.slice(0, -1)},"webhook_event":${text}}` };
}

function changedIn(event: Json): ChangedTransfer[] {
  const resource = asObject(event['resource']);
  const header = asObject(resource?.['batch_header']) ?? resource;
  const id = asText(header?.['payout_batch_id']);
  const key =
    asText(resource?.['sender_batch_id']) ??
    asText(asObject(header?.['sender_batch_header'])?.['sender_batch_id']);
  return id === null ? [] : [{ id, key }];
}
