/**
 * The categories of emails that a user can turn off. Each of these emails also contains a link that turns off
 * its category without a sign-in.
 */
export const EMAIL_CATEGORIES = ['review_tasks', 'commission_changes', 'monthly_summary'] as const;
export type EmailCategory = (typeof EMAIL_CATEGORIES)[number];

/** The kinds of emails that have a template. */
export const EMAIL_TEMPLATES = [
  'password_reset',
  'member_invitation',
  'partner_invitation',
  'application_received',
  'address_confirmation',
  'application_approved',
  'application_rejected',
  'review_task',
  'review_digest',
  'payouts_proposed',
  'payout_problem',
  'webhook_failing',
  'commission_refunded',
  'commission_reversed',
  'payout_created',
  'payout_paid',
  'payout_failed',
  'payout_details_changed',
  'monthly_summary',
] as const;
export type EmailTemplate = (typeof EMAIL_TEMPLATES)[number];

/** What an email is about. A `test` email is a template filled in with examples. */
export const EMAIL_KINDS = [...EMAIL_TEMPLATES, 'test'] as const;
export type EmailKind = (typeof EMAIL_KINDS)[number];
