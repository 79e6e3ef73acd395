import { emailPreferencesRow, emailRow, emailTemplatesReply, itemReply, listReply } from '@affkit/protocol';
import type { z } from 'zod';
import { body, type Descriptions, reply } from './description.ts';
import { EXAMPLE_TIME, examplePagination } from './examples.ts';
import { PAGE_REPLY } from './program-page.ts';

const DESCRIBED_TEMPLATES_PATH = '/api/advertiser/affiliate-programs/:id/email-templates';

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
  next_attempt_at: null,
  created_at: EXAMPLE_TIME,
  finished_at: EXAMPLE_TIME,
};

const exampleTest: z.output<typeof emailRow> = {
  ...exampleEmail,
  id: 2,
  program_id: 1,
  kind: 'test',
  member_id: null,
  status: 'queued',
  attempts: 0,
  error: null,
  next_attempt_at: EXAMPLE_TIME,
  finished_at: null,
};

const exampleTemplate: z.output<typeof emailTemplatesReply>['data'][number] = {
  template: 'payout_paid',
  category: null,
  is_transactional: true,
  from: { name: 'Tea Shop', address: 'affiliates@shop.example' },
  subject: 'You have been paid: 148.50 USD, Tea Shop',
  html: '<!doctype html>…',
  text: 'Hello Anna Example,\n\nTea Shop has paid your commissions.\n',
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
      'Requires the role owner or admin. Emails that the service sends for the workspace, newest first. After the service has sent an email, a mail server may still refuse it; the list does not show this. Emails are deleted after 30 days. An email is neither sent nor listed if the recipient has turned such emails off, or if its content was no longer true. The list is empty if the service sends no email.',
    replies: {
      200: reply('A page of emails.', listReply(emailRow), {
        One: { success: true, data: [exampleEmail], meta: examplePagination(1) },
      }),
    },
  },
  'POST /api/advertiser/emails/test': {
    id: 'sendTestEmail',
    tag: 'Workspaces',
    summary: 'Send a test email to yourself',
    description:
      'Requires the role owner or admin. Sends an example of a template to the address of the signed-in user, in the name of the program. The reply is the queued email: read the list to see whether the mail server has accepted it. After 20 test emails of a user within an hour, the reply is 429 with `Retry-After`.',
    body: body('TestEmail', { 'A payout': { program_id: 1, template: 'payout_paid' } }),
    replies: {
      201: reply('The queued email.', itemReply(emailRow), { Queued: { success: true, data: exampleTest } }),
    },
    errors: ['program_not_found', 'email_not_set_up', 'rate_limited'],
  },
  [`GET ${DESCRIBED_TEMPLATES_PATH}`]: {
    id: 'listEmailTemplates',
    tag: 'Workspaces',
    summary: 'List email templates',
    description:
      'Requires the role owner or admin. Every email that the service can send for the program, filled in with examples.',
    replies: {
      200: reply('The templates.', emailTemplatesReply, {
        'The email about a payout': { success: true, data: [exampleTemplate], meta: { delivery: 'email' } },
      }),
    },
  },
  [`GET ${DESCRIBED_TEMPLATES_PATH}/preview`]: {
    id: 'showEmailPreview',
    tag: 'Workspaces',
    summary: 'Show an email template as a page',
    description:
      'Requires the role owner or admin. The HTML part of the example, without links. Only pages of this service may show it in an iframe.',
    replies: { 200: PAGE_REPLY },
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
      'The link in the email to an applicant opens this page, with `?token=`. Opening the page does not confirm the address, because mail programs open links to check them. Only the button on the page does. Browsers get errors as a web page instead of JSON.',
    replies: { 200: PAGE_REPLY },
    errors: ['email_link_invalid'],
  },
  'POST /api/v1/email/confirm-address': {
    id: 'confirmAddress',
    tag: 'Marketplace',
    summary: 'Confirm the email address of an application',
    description:
      'Requires the `?token=` of the link in the email. If the domain of the address is in `auto_approve_domains` of the program page, the application is approved. A repeated request changes nothing.',
    replies: { 200: PAGE_REPLY },
    errors: ['email_link_invalid'],
  },
  'GET /api/v1/email/unsubscribe': {
    id: 'showUnsubscribe',
    tag: 'Sign-in',
    summary: 'Show the page that stops emails',
    description:
      'The link in emails that can be turned off opens this page, with `?token=`. Only the button on the page turns the emails off.',
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
