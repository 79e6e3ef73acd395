import { z } from 'zod';
import { count, errorCode, inviteFields, partnerId, rowId } from './envelope.ts';

const importLine = rowId.describe('Line of the file on which the row ends, starting at 1.');

/** Reply of `POST …/partners/import`. The status is 200 even if no row could be imported. */
export const importPartnersReply = z.object({
  success: z.literal(true),
  data: z
    .array(
      z.discriminatedUnion('ok', [
        z.object({
          line: importLine,
          ok: z.literal(true),
          is_new: z.boolean().describe('Whether the partner is new in the program.'),
          partner_id: partnerId.optional(),
          ...inviteFields,
        }),
        z.object({
          line: importLine,
          ok: z.literal(false),
          code: errorCode.describe('Stable code of the error. The row was not imported.'),
          error: z.string().describe('Error message.'),
        }),
      ]),
    )
    .describe('One result per row of the file, in its order.'),
  meta: z.object({
    dry_run: z.boolean().describe('Whether the file was only checked, and nothing was stored.'),
    created: count.describe('Number of partners that were new in the program.'),
    existing: count.describe('Number of partners that already were in the program.'),
    failed: count.describe('Number of rows that were not imported.'),
  }),
});
