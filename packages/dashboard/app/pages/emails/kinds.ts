import * as messages from '#messages/emails.tsx';
import type { Email } from '../../api/types.ts';

export type Template = keyof typeof messages.kinds;

/** The templates in the order of the page. */
export const TEMPLATE_GROUPS: readonly { readonly title: string; readonly templates: readonly Template[] }[] =
  [
    {
      title: messages.groups.applications,
      templates: [
        'application_received',
        'address_confirmation',
        'application_approved',
        'application_rejected',
      ],
    },
    {
      title: messages.groups.money,
      templates: [
        'commission_reversed',
        'commission_refunded',
        'payout_created',
        'payout_paid',
        'payout_failed',
        'payout_details_changed',
        'monthly_summary',
      ],
    },
    {
      title: messages.groups.accounts,
      templates: [
        'partner_invitation',
        'member_invitation',
        'password_reset',
        'review_task',
        'review_digest',
        'payouts_proposed',
        'payout_problem',
        'webhook_failing',
      ],
    },
  ];

export const EMAILS_PATH = '/api/advertiser/emails';

export function kindName(kind: Email['kind']): string {
  return kind === 'test' ? messages.test : messages.kinds[kind].name;
}
