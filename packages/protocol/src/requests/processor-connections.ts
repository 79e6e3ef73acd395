import { z } from 'zod';
import { idText, workspaceId } from '../fields.ts';
import { strictFields } from '../strict-fields.ts';

const accountId = idText('account_id').describe('Id of your account at the processor.');

const webhookSecret = idText('webhook_secret', 'webhook_secret must be a string of 1 to 255 characters')
  .regex(/^\S+$/, { error: 'webhook_secret must not contain spaces or line breaks' })
  .describe('Signing secret of the webhook endpoint at the processor. It is never returned.');

const flag = (name: string, text: string) =>
  z
    .boolean({ error: `${name} must be a boolean` })
    .describe(text)
    .optional();

const accountFlags = {
  charges_enabled: flag('charges_enabled', 'Whether the account can take payments.'),
  payouts_enabled: flag('payouts_enabled', 'Whether the account can receive payouts.'),
  details_submitted: flag('details_submitted', 'Whether the account has submitted all its details.'),
};

const connectionMode = {
  mode: z
    .enum(['live', 'test'], { error: 'mode must be live or test' })
    .describe(
      'Mode of the events that the connection accepts. Events of the other mode are ignored. Default: `live`.',
    )
    .optional(),
  record_test_events: flag(
    'record_test_events',
    'Whether a live connection records payments in test mode as test sales, which have no effect. Otherwise, it ignores such payments.',
  ),
};

/** Body of `POST /api/advertiser/processor-connections`. */
export const createProcessorConnectionRequest = strictFields({
  processor: z.literal('stripe', { error: 'processor must be stripe' }).describe('Payment processor.'),
  account_id: accountId,
  webhook_secret: webhookSecret,
  ...connectionMode,
  ...accountFlags,
  workspace_id: workspaceId,
});

/**
 * Body of `PUT /api/advertiser/processor-connections/:id`. If it replaces the secret, the previous secret
 * remains valid for 24 hours.
 */
export const updateProcessorConnectionRequest = strictFields({
  account_id: accountId.optional(),
  webhook_secret: webhookSecret.optional(),
  ...connectionMode,
  ...accountFlags,
});

export type CreateProcessorConnectionRequest = z.input<typeof createProcessorConnectionRequest>;
export type UpdateProcessorConnectionRequest = z.input<typeof updateProcessorConnectionRequest>;
