import { z } from 'zod';
import { MAX_SUB_ID_LENGTH, printableId, rowId } from '../fields.ts';
import { strictFields } from '../strict-fields.ts';
import { linkCode } from './management.ts';

const MAX_PATH_LENGTH = 1_000;
const PATH_MESSAGE = `landing_path must be a path such as /blog/tea, of at most ${MAX_PATH_LENGTH} characters`;
const SUB_ID_MESSAGE = `sub_id must be 1 to ${MAX_SUB_ID_LENGTH} printable characters`;
const ORIGIN = 'https://shop.invalid';

/** Whether the text is a path that cannot lead to another site. */
function isPath(text: string): boolean {
  if (!text.startsWith('/') || text.startsWith('//') || /[\\\s\p{C}]/u.test(text)) return false;
  return URL.canParse(text, ORIGIN) && new URL(text, ORIGIN).origin === ORIGIN;
}

/** Normalizes the sub-id in the same way as a click on the link does. */
const recorded = printableId(MAX_SUB_ID_LENGTH);

/** Body of `POST /api/partner/links`. */
export const createPortalLinkRequest = strictFields({
  program_id: rowId('program_id').describe('Id of a program that has approved the partner.'),
  short_link: linkCode('short_link')
    .describe('Code in the link, unique in the whole service regardless of case. Defaults to a new code.')
    .optional(),
  landing_path: z
    .string({ error: PATH_MESSAGE })
    .max(MAX_PATH_LENGTH, { error: PATH_MESSAGE })
    .refine(isPath, { error: PATH_MESSAGE })
    .describe("Path of the page that the link opens, with its query. Defaults to the program's site.")
    .optional(),
  sub_id: z
    .string({ error: SUB_ID_MESSAGE })
    .min(1, { error: SUB_ID_MESSAGE })
    .refine((text) => recorded.parse(text) === text, { error: SUB_ID_MESSAGE })
    .describe('Your id of a placement or campaign. The link sends it with each click.')
    .optional(),
});
