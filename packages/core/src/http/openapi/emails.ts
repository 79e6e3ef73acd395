import { emailPreferencesRow, emailRow, itemReply, listReply } from '@affkit/protocol';
import type { z } from 'zod';
import { body, type Descriptions, reply } from './description.ts';
import { EXAMPLE_TIME, examplePagination } from './examples.ts';
import { PAGE_REPLY } from './program-page.ts';

const exampleEmail: z.output<typeof emailRow> = {
  id: 1,
  workspace_id: 1,
  program_id: null,
  kind: 'member_invitation',
  recipient: 'max@shop.example',
  partner_id: null,
  member_id: 2,
  status: 'failed',
  attempts: 1,
  error: '550 No such mailbox',
  created_at: EXAMPLE_TIME,
  finished_at: EXAMPLE_TIME,
};

const examplePreferences: z.output<typeof emailPreferencesRow> = {
  review_tasks: true,
  commission_changes: true,
  monthly_summary: false,
};

const PREFERENCES_REPLY = {
  200: reply('The preferences.', itemReply(emailPreferencesRow), {
    'Without summaries': { success: true, data: examplePreferences },
  }),
};

export const emailDescriptions: Descriptions = {
  'GET /api/advertiser/emails': {
    id: 'listEmails',
    tag: 'Workspaces',
    summary: 'List emails',
    description:
      'Requires the role owner or admin. Emails that the service sends for the workspace, newest first. After the service has sent an email, a mail server may still refuse it; the list does not show this. Emails are deleted after 30 days. Emails that were not sent, because the recipient has turned them off or their occasion has passed, are not listed. The list is empty if the service sends no email.',
    replies: {
      200: reply('A page of emails.', listReply(emailRow), {
        One: { success: true, data: [exampleEmail], meta: examplePagination(1) },
      }),
    },
  },
  'GET /api/auth/email-preferences': {
    id: 'readEmailPreferences',
    tag: 'Sign-in',
    summary: 'Get the email preferences of the user',
    description:
      'The preferences apply to the email address, in all workspaces and programs. Other emails, such as invitations and payouts, cannot be turned off.',
    replies: PREFERENCES_REPLY,
  },
  'PUT /api/auth/email-preferences': {
    id: 'updateEmailPreferences',
    tag: 'Sign-in',
    summary: 'Change the email preferences of the user',
    description: 'Preferences that are not in the request do not change.',
    body: body('EmailPreferencesChange', { 'No summaries': { monthly_summary: false } }),
    replies: PREFERENCES_REPLY,
  },
  'GET /api/v1/email/confirm-address': {
    id: 'showAddressConfirmation',
    tag: 'Marketplace',
    summary: 'Show the page that confirms an email address',
    description:
      'The page behind the link in the email to an applicant, with `?token=`. Only its button confirms the address, because mail programs open links to check them. Browsers get errors as a page too.',
    replies: { 200: PAGE_REPLY },
    errors: ['email_link_invalid'],
  },
  'POST /api/v1/email/confirm-address': {
    id: 'confirmAddress',
    tag: 'Marketplace',
    summary: 'Confirm the email address of an application',
    description:
      'Requires the `?token=` of the email. If the program approves the domain of the address, the application is approved. A repeated request changes nothing.',
    file: {
      mediaType: 'application/x-www-form-urlencoded',
      examples: { 'One click': 'List-Unsubscribe=One-Click' },
    },
    replies: { 200: PAGE_REPLY },
    errors: ['email_link_invalid'],
  },
  'GET /api/v1/email/unsubscribe': {
    id: 'showUnsubscribe',
    tag: 'Sign-in',
    summary: 'Show the page that stops emails',
    description:
      'The page behind the link in emails that can be turned off, with `?token=`. Only its button turns them off.',
    replies: { 200: PAGE_REPLY },
    errors: ['email_link_invalid'],
  },
  'POST /api/v1/email/unsubscribe': {
    id: 'unsubscribe',
    tag: 'Sign-in',
    summary: 'Stop emails of a category',
    description:
      'Works without a session, as RFC 8058 requires: mail programs send `List-Unsubscribe=One-Click` to the URL in the header `List-Unsubscribe`. The token contains the email address and the category. A repeated request changes nothing.',
    file: {
      mediaType: 'application/x-www-form-urlencoded',
      examples: { 'One click': 'List-Unsubscribe=One-Click' },
    },
    replies: { 200: PAGE_REPLY },
    errors: ['email_link_invalid'],
  },
};
