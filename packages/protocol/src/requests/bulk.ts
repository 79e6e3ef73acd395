import { z } from 'zod';
import { idText, integer, nameText, rowId } from '../fields.ts';
import { strictFields } from '../strict-fields.ts';
import { expectedAmount, payoutOrderFields } from './payouts.ts';

const MAX_BULK_ROWS = 100;
const MAX_PREVIEW_ROWS = 1_000_000;

const idempotencyKey = idText('idempotency_key')
  .describe(
    'For 30 days, a repeated request with the same key changes nothing and returns the results of the first request.',
  )
  .optional();

const bulkIds = z
  .array(rowId('each of ids'), { error: 'ids must be a list of ids' })
  .min(1, { error: 'ids must name at least one row' })
  .max(MAX_BULK_ROWS, { error: `ids must have at most ${MAX_BULK_ROWS} entries` })
  .refine(isUnique, { error: 'ids must not contain an id twice' })
  .describe(`Ids of the rows, at most ${MAX_BULK_ROWS}.`);

function isUnique(values: readonly unknown[]): boolean {
  return new Set(values).size === values.length;
}

/** Body of `POST …/commissions/bulk`. */
export const bulkCommissionsRequest = strictFields({
  ids: bulkIds,
  action: z
    .enum(['approve', 'reject'], { error: 'action must be approve or reject' })
    .describe('The action for each commission.'),
  idempotency_key: idempotencyKey,
});

/** Body of `POST …/partners/bulk`. */
export const bulkPartnersRequest = strictFields({
  ids: bulkIds,
  action: z
    .enum(['approve', 'reject', 'ban'], { error: 'action must be approve, reject or ban' })
    .describe('The status to give each partner: approved, rejected or banned.'),
  idempotency_key: idempotencyKey,
});

/** Body of `POST …/payouts/mark-paid`. */
export const bulkPayoutsRequest = strictFields({
  items: z
    .array(
      strictFields({
        id: rowId('id of each item').describe('Id of the payout.'),
        reference: z
          .preprocess((value) => (value === '' ? undefined : value), nameText('reference').nullish())
          .describe('Your reference for the payment.')
          .optional(),
        expected_amount_cents: expectedAmount,
      }),
      { error: 'items must be a list of {id, reference}' },
    )
    .min(1, { error: 'items must name at least one payout' })
    .max(MAX_BULK_ROWS, { error: `items must have at most ${MAX_BULK_ROWS} entries` })
    .refine((items) => isUnique(items.map(({ id }) => id)), { error: 'items must not contain an id twice' })
    .describe(`The payouts, at most ${MAX_BULK_ROWS}.`),
  idempotency_key: idempotencyKey,
});

/** Body of `POST …/payouts/preview`: the body of `POST …/payouts`, and how many rows to return. */
export const previewPayoutsRequest = strictFields({
  ...payoutOrderFields,
  limit: integer('limit', 0, MAX_PREVIEW_ROWS)
    .describe(
      'Number of rows to return. The totals contain all payouts. Defaults to all rows. With 0, only the totals are returned.',
    )
    .optional(),
});

export type BulkCommissionsRequest = z.input<typeof bulkCommissionsRequest>;
export type BulkPartnersRequest = z.input<typeof bulkPartnersRequest>;
export type BulkPayoutsRequest = z.input<typeof bulkPayoutsRequest>;
