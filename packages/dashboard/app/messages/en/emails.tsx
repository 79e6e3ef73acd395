import type { JSX } from 'preact';

export const intro = 'The emails that your programs send to partners, applicants, and your team.';
export const tabs = { templates: 'Templates', sent: 'Sent emails' } as const;
export const noProgram = 'Emails are sent in the name of a program. To see them, create a program first.';
export const createProgram = 'Create a program';

export const notSetUp = 'This service sends no email';
export const notSetUpText =
  'Copy invitations and password links, and send them yourself. If the service should send email, set these environment variables, and restart the server:';
export const notSetUpCode = 'Variables of the server';
export const notSetUpMailer = (
  <>
    If Affkit runs in your own app, pass the option <code>mailer</code> instead.
  </>
);

export const templates = 'Templates';
export const groups = {
  applications: 'Applications',
  money: 'Commissions and payouts',
  accounts: 'Accounts and team',
} as const;
/** The name of each kind of email, and when it is sent. */
export const kinds = {
  application_received: {
    name: 'Application received',
    when: 'To an applicant whose application you have to review.',
  },
  address_confirmation: {
    name: 'Confirm the address',
    when: 'To an applicant whose email domain the program approves automatically.',
  },
  application_approved: {
    name: 'Application approved',
    when: 'To an applicant whom you approve. Contains a link to create an account, if they have none.',
  },
  application_rejected: {
    name: 'Application rejected',
    when: 'To an applicant whom you reject, with your reason.',
  },
  commission_refunded: {
    name: 'Commission reduced',
    when: 'To a partner when a refund takes back part of a commission.',
  },
  commission_reversed: {
    name: 'Commission reversed',
    when: 'To a partner when a refund takes back all of a commission.',
  },
  payout_created: { name: 'Payout created', when: 'To a partner when you create a payout.' },
  payout_paid: {
    name: 'Payout paid',
    when: 'To a partner when a payout is marked as paid. Contains the reference of the payment.',
  },
  payout_failed: {
    name: 'Payout failed',
    when: 'To a partner whose payout could not be paid. Contains the reason.',
  },
  payout_details_changed: {
    name: 'Payout details changed',
    when: 'To a partner whose payout details were entered, changed, or deleted. Does not contain the details.',
  },
  monthly_summary: {
    name: 'Monthly summary',
    when: 'To each partner who had results in a month, on the first day of the next month.',
  },
  partner_invitation: { name: 'Partner invitation', when: 'To a partner whom you add or import.' },
  member_invitation: {
    name: 'Member invitation',
    when: 'To a person whom an owner invites to the workspace.',
  },
  password_reset: { name: 'New password', when: 'To a user who asks for a new password.' },
  review_task: {
    name: 'Applications to review',
    when: 'To owners and admins when there are new applications, at most once an hour.',
  },
  review_digest: {
    name: 'Weekly open tasks',
    when: 'To owners and admins each Monday, if they have to review applications or pay payouts.',
  },
  payouts_proposed: {
    name: 'Payouts to confirm',
    when: 'To owners on the payout day of the month, with the amounts to pay.',
  },
  payout_problem: {
    name: 'Problems with payouts',
    when: 'To owners and admins when PayPal or Stripe fails to pay or confirm payouts, at most once an hour per batch and kind of problem.',
  },
  webhook_failing: {
    name: 'Webhooks not delivered',
    when: 'To owners and admins when webhooks are given up, at most once a day per endpoint.',
  },
} as const;
export const test = 'Test email';

export const alwaysSent = 'Always sent';
export const alwaysSentHint = 'The recipient needs this email, so it cannot be turned off.';
export const canBeTurnedOff = 'Can be turned off';
export const canBeTurnedOffHint =
  'The recipient can turn off this email with the link in it, or on the account page.';
export const from = 'From';
/** The sender's email address, shown after the name. */
export const senderAddress = (address: string): string => `<${address}>`;
export const subject = 'Subject';
export const examples = 'Names and amounts are examples.';
export const format = 'Format';
export const formats = { html: 'HTML', text: 'Text' } as const;
export const previewOf = (name: string): string => `Preview: ${name}`;

export const sendTest = 'Send a test email to me';
export const testWaits = (address: string): string => `Sending to ${address}…`;
export const testSent = (address: string): string => `Sent to ${address}.`;
export const testFailed = (reason: string): string => `Not sent: ${reason}`;
export const testPostponed = (reason: string): string =>
  `The mail server has not accepted the email yet. Affkit will try again. Reason: ${reason}`;
export const noReason = 'The reason is unknown.';

export const search = 'Recipient';
export const allKinds = 'All emails';
export const allPrograms = 'All programs';
export const kind = 'Email';
export const recipient = 'Recipient';
export const state = 'State';
export const statuses = { queued: 'Waiting', sent: 'Sent', failed: 'Failed' } as const;
export const nextTry = (time: JSX.Element): JSX.Element => <>Next try: {time}</>;
export const none = 'No emails in the last 30 days.';
export const noneMatches = 'No emails match these filters.';
