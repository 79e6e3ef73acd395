import { z } from 'zod';
import type { ErrorCode } from '../errors.ts';
import { ERRORS } from '../errors.ts';

/** Row id. */
export const id = z.int().positive();
/** A count, or an amount that is never negative. */
export const count = z.int().min(0);
/** An instant, in ISO 8601 and UTC. */
export const time = z.iso.datetime();

/** Where a page stands in its list. */
const pagination = z.object({
  page: z.int().positive(),
  pageSize: z.int().min(1).max(100),
  pageCount: count,
  total: count,
});

/** `meta` of a list. */
export const listMeta = z.object({ pagination });

/** A reply with one row. */
export function itemReply<T extends z.ZodType>(data: T) {
  return z.object({ success: z.literal(true), data });
}

/** A reply with a page of rows. */
export function listReply<T extends z.ZodType>(row: T) {
  return z.object({ success: z.literal(true), data: z.array(row), meta: listMeta });
}

/** A reply with all rows that a call made. */
export function madeReply<T extends z.ZodType>(row: T) {
  return z.object({ success: z.literal(true), data: z.array(row) });
}

/** A reply that says no more than that it is done. */
export const doneReply = z.object({ success: z.literal(true) });

// The keys of the table are its codes: `Object.keys` can't say so.
const codes = Object.keys(ERRORS) as ErrorCode[];

export const errorCode = z.enum(codes);

/** Body of every error reply. */
export const errorReply = z.looseObject({
  error: z.string(),
  code: errorCode,
  request_id: z.string(),
});

/** Body of a 409 for a sale that is already recorded; the ids are there for the caller's own sale alone. */
export const duplicateSaleReply = errorReply.extend({
  code: z.enum(['duplicate_transaction', 'transaction_id_taken']),
  message: z.string(),
  statusCode: z.literal(409),
  sale_id: id.optional(),
  commission_id: id.nullable().optional(),
  identical: z.boolean().optional(),
});
