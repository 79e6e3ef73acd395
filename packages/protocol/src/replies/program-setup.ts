import { z } from 'zod';
import { count, rowId, time } from './envelope.ts';
import { testChainReply } from './reads.ts';

/** Result of `POST …/test-event`. */
export const testChainRow = testChainReply.pick({ healthy: true, steps: true });

const lastAt = time.nullable();

/** Why a step has no event yet. */
const missingStep = z.object({
  reason: z
    .enum([
      'no_approved_partner',
      'no_active_link',
      'site_not_allowed',
      'browser_leads_off',
      'no_click',
      'no_sale',
      'last_call_rejected',
      'only_test_events',
      'no_event',
      'processor_not_connected',
      'no_webhook',
    ])
    .describe('Stable code of the reason.'),
  why: z.string().describe('What is missing, and what you can do.'),
});

/** The events that a program has received, and the steps of its setup that are missing. */
export const programSetupRow = z.object({
  steps: z
    .array(
      z.object({
        step: z.enum(['click', 'lead', 'sale', 'refund']),
        state: z
          .enum(['waiting', 'tested', 'received'])
          .describe(
            '`waiting`: no events have arrived. `tested`: only test events have arrived. `received`: real events have arrived.',
          ),
        total: count.describe('Number of real events.'),
        last_at: lastAt.describe('Time of the latest real event.'),
        last_test_at: lastAt.describe('Time of the latest test event.'),
        last_rejected: z
          .object({ code: z.string(), reason: z.string(), refused_at: time })
          .nullable()
          .describe('The latest rejected call of this kind, if no real event has arrived since.'),
        missing: z.array(missingStep).describe('Empty when a real event has arrived.'),
      }),
    )
    .describe('The steps of the chain, in order.'),
  webhook: z
    .object({
      connection_id: rowId.describe('Id of the processor connection.'),
      mode: z.enum(['live', 'test']),
      connected_at: lastAt.describe('When the first verified webhook arrived.'),
      last_at: lastAt.describe('When the latest verified webhook arrived.'),
      last_type: z.string().nullable().describe('The type of that webhook.'),
      last_outcome: z.string().nullable().describe('The outcome of that webhook.'),
      last_reason: z.string().nullable().describe('The reason why that webhook was ignored.'),
    })
    .nullable()
    .describe("The workspace's newest processor connection that is not disconnected."),
  healthy: z
    .boolean()
    .describe(
      'Whether the program has an approved partner and has received a click, a lead and a sale. Test events count too.',
    ),
  checked_at: time,
});
