import type { PayPalSettings } from '@affkit/core';
import { z } from 'zod';

/** The money services whose APIs send payouts. Undefined if a service is not configured. */
export interface PayoutSettings {
  readonly paypal: PayPalSettings | undefined;
}

const PAYPAL_URLS = {
  live: 'https://api-m.paypal.com',
  sandbox: 'https://api-m.sandbox.paypal.com',
} as const;

export const payoutVariables = {
  PAYPAL_CLIENT_ID: z.string().optional(),
  PAYPAL_SECRET: z.string().optional(),
  PAYPAL_WEBHOOK_ID: z
    .string()
    .regex(/^[a-zA-Z0-9]+$/, 'must be the id of the webhook in the settings of your PayPal app')
    .optional(),
  PAYPAL_API: z.enum(['live', 'sandbox'], 'must be live or sandbox').default('live'),
};

type Settings = z.output<z.ZodObject<typeof payoutVariables>>;

/** @param fail creates the error for a variable that is missing */
export function readPayoutSettings(
  settings: Settings,
  fail: (variable: string, problem: string) => Error,
): PayoutSettings {
  const {
    PAYPAL_CLIENT_ID: clientId,
    PAYPAL_SECRET: secret,
    PAYPAL_WEBHOOK_ID: webhookId,
    PAYPAL_API,
  } = settings;
  if (clientId === undefined && (secret !== undefined || webhookId !== undefined)) {
    throw fail('PAYPAL_CLIENT_ID', 'is required together with PAYPAL_SECRET.');
  }
  if (clientId === undefined) return { paypal: undefined };
  if (secret === undefined) throw fail('PAYPAL_SECRET', 'is required together with PAYPAL_CLIENT_ID.');
  return { paypal: { clientId, secret, webhookId, apiUrl: PAYPAL_URLS[PAYPAL_API] } };
}
