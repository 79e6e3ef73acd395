import { z } from 'zod';
import { ERRORS, type ErrorCode } from '../errors.ts';

/** A row id, for fields that have their own description. */
export const rowId = z.int().positive();
export const id = rowId.describe('Row id.');
export const workspaceId = rowId.describe('Id of the workspace.');
export const programId = rowId.describe('Id of the program.');
export const partnerId = rowId.describe('Id of the partner.');
/** A count, or an amount that is never negative. */
export const count = z.int().min(0);
/** An amount in the smallest unit of its currency. */
export const amount = z.int().describe('Amount, in the smallest unit of the currency.');
export const currency = z.string().describe('ISO 4217 code.');
export const customerKey = z.string().nullable().describe('Your id of the customer.');
export const email = z.string().describe('Email address.');
/** An instant in ISO 8601, in UTC. */
export const time = z.iso.datetime();
export const createdAt = time.describe('When the row was created.');

/** The invitation of a member or partner. Only the reply that creates the invitation contains the token. */
export const inviteFields = {
  invite_token: z.string().describe('Invitation token. Only this reply shows it.').optional(),
  invite_expires_at: time.describe('When the invitation expires.').optional(),
  invite_delivery: z
    .literal('email')
    .describe(
      'Present if the service also sends the link by email. Otherwise, send the link to the person yourself.',
    )
    .optional(),
};

const pagination = z.object({
  page: z.int().positive(),
  pageSize: z.int().min(1).max(100),
  pageCount: count,
  total: count,
  total_capped: z
    .literal(true)
    .optional()
    .describe(
      'Present if more rows match than can be listed. `total` is then the number of rows that can be listed.',
    ),
});

/** `meta` of a list reply. */
export const listReplyMeta = z.object({ pagination });

/** A reply with one row. */
export function itemReply<T extends z.ZodType>(data: T) {
  return z.object({ success: z.literal(true), data });
}

/** A reply with a page of rows. */
export function listReply<T extends z.ZodType>(row: T) {
  return z.object({ success: z.literal(true), data: z.array(row), meta: listReplyMeta });
}

/** A reply that contains all rows that a request created. */
export function createdReply<T extends z.ZodType>(row: T) {
  return z.object({ success: z.literal(true), data: z.array(row) });
}

/** A reply without data. */
export const doneReply = z.object({ success: z.literal(true) });

// `Object.keys` is typed as string[], but the keys of the table are exactly the error codes.
const codes = Object.keys(ERRORS) as ErrorCode[];

export const errorCode = z.enum(codes);

/** The body of every error reply. */
export const errorReply = z.looseObject({
  error: z.string().describe('Error message.'),
  code: errorCode.describe('Stable code. Branch on it, not on `error`.'),
  request_id: z.string().describe('Id of the request, as in the header `X-Request-Id`.'),
  hint: z
    .string()
    .describe(
      'What you can do about the error. Present only if `error` is a fixed text that does not already say this.',
    )
    .optional(),
});

/**
 * The body of a 409 for a sale that is already recorded. The ids are present only if the sale belongs to the
 * caller's program.
 */
export const duplicateSaleReply = errorReply.extend({
  code: z.enum(['duplicate_transaction', 'transaction_id_taken']).describe('Stable code.'),
  message: z.string(),
  statusCode: z.literal(409),
  sale_id: rowId.describe('Id of the recorded sale.').optional(),
  commission_id: rowId.nullable().describe('Id of its commission, if it has one.').optional(),
  identical: z.boolean().describe('Whether the request repeats the recorded sale exactly.').optional(),
});
