import { confirmPayoutRunReply, itemReply, listReply, payoutRunRow } from '@affkit/protocol';
import type { z } from 'zod';
import { body, type Descriptions, reply } from './description.ts';
import { EXAMPLE_TIME, examplePagination, examplePayout } from './examples.ts';

const DESCRIBED_RUNS_PATH = '/api/advertiser/affiliate-programs/:id/payout-runs';

const exampleRun: z.output<typeof payoutRunRow> = {
  id: 1,
  month: '2026-01',
  status: 'proposed',
  totals: [{ currency: 'USD', payouts: 1, amount_cents: examplePayout.amount_cents }],
  created_at: EXAMPLE_TIME,
  decided_at: null,
};

export const payoutRunDescriptions: Descriptions = {
  [`GET ${DESCRIBED_RUNS_PATH}`]: {
    id: 'listPayoutRuns',
    tag: 'Payouts',
    summary: 'List the payouts that the schedule has proposed',
    replies: {
      200: reply('A page of proposals, newest first.', listReply(payoutRunRow), {
        One: { success: true, data: [exampleRun], meta: examplePagination(1) },
      }),
    },
  },
  [`POST ${DESCRIBED_RUNS_PATH}/:runId/confirm`]: {
    id: 'confirmPayoutRun',
    tag: 'Payouts',
    summary: 'Create the payouts of a proposal',
    description:
      'Requires the role owner. Creates payouts of everything that is payable now, which may differ from the proposal. To create exactly what you have previewed, send its totals as `expected_totals`. A repeated request creates no more payouts.',
    body: body('PayoutRunConfirmation', {
      'What is payable now': {},
      'What was previewed': { expected_totals: exampleRun.totals },
    }),
    replies: {
      200: reply('The proposal and the new payouts.', confirmPayoutRunReply, {
        Confirmed: {
          success: true,
          data: { ...exampleRun, status: 'confirmed', decided_at: EXAMPLE_TIME },
          payouts: [examplePayout],
        },
      }),
    },
    errors: ['not_found', 'conflict'],
  },
  [`POST ${DESCRIBED_RUNS_PATH}/:runId/dismiss`]: {
    id: 'dismissPayoutRun',
    tag: 'Payouts',
    summary: 'Dismiss a proposal',
    description: 'Requires the role owner. The amounts remain payable.',
    replies: {
      200: reply('The proposal.', itemReply(payoutRunRow), {
        Dismissed: {
          success: true,
          data: { ...exampleRun, status: 'dismissed', decided_at: EXAMPLE_TIME },
        },
      }),
    },
    errors: ['not_found', 'conflict'],
  },
};
