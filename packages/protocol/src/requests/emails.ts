import { z } from 'zod';
import { EMAIL_TEMPLATES } from '../emails.ts';
import { rowId } from '../fields.ts';
import { strictFields } from '../strict-fields.ts';

const preference = (name: string) =>
  z
    .boolean({ error: `${name} must be true or false` })
    .optional()
    .describe('Whether to send these emails.');

/** Body of `PUT /api/auth/email-preferences`. Absent preferences do not change. */
export const updateEmailPreferencesRequest = strictFields({
  review_tasks: preference('review_tasks'),
  commission_changes: preference('commission_changes'),
  monthly_summary: preference('monthly_summary'),
});

/** Body of `POST /api/advertiser/emails/test`. */
export const sendTestEmailRequest = strictFields({
  program_id: rowId('program_id').describe('Id of the program in whose name the email is sent.'),
  template: z
    .enum(EMAIL_TEMPLATES, { error: `template must be one of ${EMAIL_TEMPLATES.join(', ')}` })
    .describe('The template to send.'),
});

export type SendTestEmailRequest = z.input<typeof sendTestEmailRequest>;
