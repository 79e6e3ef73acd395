import { z } from 'zod';
import { count, currency, listReply, listReplyMeta, partnerId, programId, time } from './envelope.ts';
import { partnerAmountFields } from './partner-amounts.ts';
import { portalLinkRow } from './partner-portal.ts';
import { seriesReply } from './series.ts';

/** What a partner is owed and was paid in a program, in one currency. */
export const portalBalanceRow = z.object({
  program_id: programId,
  partner_id: partnerId,
  currency,
  payable_cents: count.describe('Amount that a payout would include now.'),
  ...partnerAmountFields,
  balance_cents: z.int().describe('Amount owed to the partner, including payouts that are not paid yet.'),
  next_release_at: time.nullable().describe('When the next hold ends. Null if nothing is on hold.'),
});

const earnings = z
  .array(z.object({ currency, amount_cents: z.int() }))
  .describe('Earned commissions before refunds, in each currency.');

const linkFigures = {
  clicks: count,
  leads: count,
  sales: count,
  earnings,
};

const asOf = time
  .nullable()
  .describe(
    'Every event that was stored before this time is counted. Null until all existing events have been counted once.',
  );

/** A link with its figures. */
export const portalListedLinkRow = portalLinkRow.extend(linkFigures);

const linkList = listReply(portalListedLinkRow);

/** Reply of `GET /api/partner/links`. */
export const portalLinkListReply = linkList.extend({ meta: linkList.shape.meta.extend({ as_of: asOf }) });

/** Reply of `GET /api/partner/links/:linkId/series`. */
export const portalLinkSeriesReply = seriesReply.extend({
  meta: seriesReply.shape.meta.extend({ as_of: asOf }),
});

/** A sub-id of a link, with its figures in the range. */
export const portalSubIdRow = z.object({
  sub_id: z
    .string()
    .nullable()
    .describe('Null in the row that sums up all sub-ids without a row of their own.'),
  ...linkFigures,
});

/** Reply of `GET /api/partner/links/:linkId/sub-ids`. */
export const portalSubIdsReply = z.object({
  success: z.literal(true),
  data: z
    .array(portalSubIdRow)
    .describe(
      'Most clicks first. Events without a sub-id are in no row. Per day, at most 100 sub-ids of a link and 200 of a partner are counted separately.',
    ),
  meta: listReplyMeta.extend({
    ...seriesReply.shape.meta.omit({ previous: true }).shape,
    as_of: asOf,
  }),
});
