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
      'Requires the role owner or admin. Emails that the service sends for the workspace, newest first. A mail server may refuse an email after it was accepted; the service does not see this. Emails are deleted after 30 days. An email that the recipient has turned off, or whose occasion has passed, is not listed. The list is empty if the service sends no email.',
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
      'They belong to the email address, in all workspaces and programs. Other emails, such as invitations and payouts, cannot be turned off.',
    replies: PREFERENCES_REPLY,
  },
  'PUT /api/auth/email-preferences': {
    id: 'updateEmailPreferences',
    tag: 'Sign-in',
    summary: 'Change the email preferences of the user',
    description: 'Absent preferences do not change.',
    body: body('EmailPreferencesChange', { 'No summaries': { monthly_summary: false } }),
    replies: PREFERENCES_REPLY,
  },
  'GET /api/v1/email/confirm-address': {
    id: 'showAddressConfirmation',
    tag: 'Marketplace',
    summary: 'Show the page that confirms an address',
    description:
      'The link in the email to an applicant, with `?token=`. The page has a button and changes nothing, because mail programs open links. Browsers get errors as a page too.',
    replies: { 200: PAGE_REPLY },
    errors: ['email_link_invalid'],
  },
  'POST /api/v1/email/confirm-address': {
    id: 'confirmAddress',
    tag: 'Marketplace',
    summary: 'Confirm the address of an application',
    description:
      'With `?token=` of the email. Approves the application if the program approves the domain of the address. Repeating it changes nothing.',
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
      'The link in an email that can be turned off, with `?token=`. The page has a button and changes nothing.',
    replies: { 200: PAGE_REPLY },
    errors: ['email_link_invalid'],
  },
  'POST /api/v1/email/unsubscribe': {
    id: 'unsubscribe',
    tag: 'Sign-in',
    summary: 'Stop emails of a category',
    description:
      'Works without a session, as RFC 8058 requires: mail programs send `List-Unsubscribe=One-Click` to the link in `List-Unsubscribe`. The token names the address and the category. Repeating it changes nothing.',
    file: {
      mediaType: 'application/x-www-form-urlencoded',
      examples: { 'One click': 'List-Unsubscribe=One-Click' },
    },
    replies: { 200: PAGE_REPLY },
    errors: ['email_link_invalid'],
  },
};
