import type { ComponentChildren, JSX } from 'preact';
import { isolate } from '../../format/isolate.ts';

export const changes = 'Changes';
export const noneMatches = 'No changes match these filters.';
export const none = 'No changes yet. Changes to programs, partners, money, and access appear here.';

export const action = 'Action';
export const allActions = 'All actions';
export const subject = 'Item';
export const allSubjects = 'Everything';
export const actor = 'Who';
export const allActors = 'Everyone';

export const change = 'Change';
export const changedFields = 'Details';
export const time = 'When';
export const request = (id: string): string => `Request ${id}`;
export const moreFields = (count: number): string => `${count} more`;
/** The kind of the changed row, followed by its name. */
export const named = (subject: ComponentChildren, name: ComponentChildren): JSX.Element => (
  <>
    {subject}: {name}
  </>
);
/**
 * Identifies a commission or payout by its partner, amount and day. The amount and the day have no line
 * breaks.
 */
export const moneyName = (partner: string, day: string, amount: string): string =>
  `${isolate(partner)}, ${amount}, ${day.replaceAll(' ', '\u00a0')}`;
export const field = (name: string): string => `${name}: `;
/** Text between the old and the new value, for screen readers. */
export const changedTo = ' to ';

export const user = (id: number | null): string => `User ${id}`;
export const apiKey = (id: number | null): string => `API key ${id}`;
/** The actor of a change that no user or key has requested. */
export const system = 'Affkit';
export const numbered = (subject: string, id: string): string => `${subject} ${id}`;

export const noValue = 'none';
export const yes = 'yes';
export const no = 'no';
export const valueList = (values: readonly string[]): string => values.join(', ');
export const percent = (value: number): string => `${value}%`;

/** The text for each action in the API. */
export const actions: Readonly<Record<string, string>> = {
  'program.create': 'Created a program',
  'program.update': 'Changed a program',
  'program.update_page': 'Changed the program page',
  'program.update_payout_settings': 'Changed the payout settings',
  'program.go_live': 'Made a program live',
  'program.regenerate_token': 'Replaced a tracking token',
  'program.delete': 'Deleted a program',
  'partner.create': 'Added a partner',
  'partner.apply': 'Applied as a partner',
  'partner.update': 'Changed a partner',
  'partner.update_payout_details': 'Changed payout details',
  'partner.delete_payout_details': 'Deleted payout details',
  'partner.invite': 'Invited a partner',
  'partner.accept_invite': 'Accepted a partner invitation',
  'link.create': 'Created a link',
  'link.update': 'Changed a link',
  'policy.create': 'Created a policy',
  'policy.update': 'Changed a policy',
  'policy.delete': 'Deleted a policy',
  'commission.approve': 'Approved a commission',
  'commission.reject': 'Rejected a commission',
  'commission.adjust': 'Adjusted a commission',
  'payout.create': 'Created a payout',
  'payout.mark_paid': 'Marked a payout as paid',
  'payout.cancel': 'Canceled a payout',
  'payout.fail': 'Made a failed payout payable again',
  'payout.release': 'Made an unsent payout payable again',
  'payout_run.confirm': 'Confirmed the payouts of the month',
  'payout_run.dismiss': 'Dismissed the payouts of the month',
  'payout_batch.create': 'Created a payout batch',
  'payout_batch.cancel': 'Canceled a payout batch',
  'member.create': 'Added a member',
  'member.update': 'Changed a member',
  'member.delete': 'Removed a member',
  'member.invite': 'Invited a member',
  'member.accept_invite': 'Accepted a member invitation',
  'api_key.create': 'Created an API key',
  'api_key.update': 'Changed an API key',
  'api_key.revoke': 'Revoked an API key',
  'processor_connection.create': 'Connected a payment processor',
  'processor_connection.update': 'Changed a payment processor',
  'processor_connection.disconnect': 'Disconnected a payment processor',
  'webhook_endpoint.create': 'Added a webhook endpoint',
  'webhook_endpoint.update': 'Changed a webhook endpoint',
  'webhook_endpoint.pause': 'Paused a webhook endpoint',
  'webhook_endpoint.resume': 'Resumed a webhook endpoint',
  'webhook_endpoint.rotate_secret': 'Replaced the secret of a webhook endpoint',
  'webhook_endpoint.delete': 'Deleted a webhook endpoint',
  'workspace.create': 'Created the workspace',
  'workspace.update': 'Renamed the workspace',
};

/** The text for each kind of changed row in the API. */
export const subjects: Readonly<Record<string, string>> = {
  program: 'Program',
  partner: 'Partner',
  link: 'Link',
  policy: 'Policy',
  commission: 'Commission',
  payout: 'Payout',
  payout_batch: 'Payout batch',
  payout_run: 'Payouts of the month',
  member: 'Member',
  api_key: 'API key',
  processor_connection: 'Payment processor',
  webhook_endpoint: 'Webhook endpoint',
  workspace: 'Workspace',
};

/** The text for each field name in the API. */
export const fields: Readonly<Record<string, string>> = {
  status_reason: 'Reason',
  embed_origins: 'Websites that may embed the page',
  auto_approve_domains: 'Email domains approved automatically',
  amount_cents: 'Amount',
  adjusted_cents: 'Adjusted by',
  deducted_cents: 'Deducted',
  min_sale_cents: 'Smallest sale',
  api_token_masked: 'Tracking token',
  key_masked: 'Key',
  rate: 'Rate',
  rate_bps: 'Rate',
  site_url: 'Site',
  short_link: 'Code',
  partner_id: 'Partner',
  user_id: 'User',
  product_id: 'Product',
  program_scope: 'Programs',
  is_disconnected: 'Disconnected',
  previous_secret_until: 'Previous secret until',
  invite_expires_at: 'Invitation until',
  expires_at: 'Expires',
  account_id: 'Account',
  hold_days: 'Hold (days)',
  cookie_window_days: 'Attribution window (days)',
};
