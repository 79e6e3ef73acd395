import type { PayPalSettings, StripePayoutSettings } from '@affkit/core';
import { z } from 'zod';
import { ConfigError } from './config-error.ts';

/** The payment services whose APIs send payouts. A service that is not configured is undefined. */
export interface PayoutSettings {
  readonly paypal: PayPalSettings | undefined;
  readonly stripe: StripePayoutSettings | undefined;
  /** The ids of the workspaces that may send payouts through these services. */
  readonly workspaces: readonly number[] | 'all';
}

const PAYPAL_URLS: Readonly<Record<string, string>> = {
  live: 'https://api-m.paypal.com',
  sandbox: 'https://api-m.sandbox.paypal.com',
};

/** The URL of PayPal's API, or of a server that simulates it. */
const paypalUrl = z.string().transform((text, context) => {
  const url = PAYPAL_URLS[text] ?? text;
  if (URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)) return url.replace(/\/$/, '');
  context.addIssue('must be live, sandbox, or the URL of a server that simulates PayPal');
  return z.NEVER;
});

const workspaces = z.string().transform((text, context): PayoutSettings['workspaces'] => {
  if (text === 'all') return text;
  const ids = text.split(',').map((id) => id.trim());
  if (ids.every((id) => /^[1-9]\d{0,14}$/.test(id))) return ids.map(Number);
  context.addIssue('must be a comma-separated list of workspace ids, or all');
  return z.NEVER;
});

export const payoutVariables = {
  PAYOUT_WORKSPACES: workspaces.default([1]),
  PAYPAL_CLIENT_ID: z.string().optional(),
  PAYPAL_SECRET: z.string().optional(),
  PAYPAL_WEBHOOK_ID: z
    .string()
    .regex(/^[a-zA-Z0-9]+$/, 'must be the id of the webhook in the settings of your PayPal app')
    .optional(),
  PAYPAL_API: paypalUrl.prefault('live'),
  STRIPE_PAYOUT_KEY: z
    .string()
    .regex(/^[sr]k_(live|test)_/, 'must be a secret or restricted key of Stripe, such as rk_live_…')
    .optional(),
  STRIPE_PAYOUT_WEBHOOK_SECRET: z
    .string()
    .regex(/^whsec_/, 'must be the signing secret of a webhook endpoint of Stripe, such as whsec_…')
    .optional(),
};

type Settings = z.output<z.ZodObject<typeof payoutVariables>>;

/** @throws ConfigError when a variable is missing */
export function readPayoutSettings(settings: Settings): PayoutSettings {
  return {
    paypal: readPayPal(settings),
    stripe: readStripe(settings),
    workspaces: settings.PAYOUT_WORKSPACES,
  };
}

function readPayPal(settings: Settings): PayPalSettings | undefined {
  const { PAYPAL_CLIENT_ID: clientId, PAYPAL_SECRET: secret, PAYPAL_WEBHOOK_ID: webhookId } = settings;
  if (clientId === undefined) {
    const other = secret === undefined ? webhookId && 'PAYPAL_WEBHOOK_ID' : 'PAYPAL_SECRET';
    if (other) throw new ConfigError('PAYPAL_CLIENT_ID', `is required together with ${other}.`);
    return undefined;
  }
  if (secret === undefined)
    throw new ConfigError('PAYPAL_SECRET', 'is required together with PAYPAL_CLIENT_ID.');
  return { clientId, secret, webhookId, apiUrl: settings.PAYPAL_API };
}

function readStripe({
  STRIPE_PAYOUT_KEY: secretKey,
  STRIPE_PAYOUT_WEBHOOK_SECRET: webhookSecret,
}: Settings): StripePayoutSettings | undefined {
  if (secretKey === undefined && webhookSecret !== undefined) {
    throw new ConfigError('STRIPE_PAYOUT_KEY', 'is required together with STRIPE_PAYOUT_WEBHOOK_SECRET.');
  }
  return secretKey === undefined ? undefined : { secretKey, webhookSecret };
}
