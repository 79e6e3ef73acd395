import type { EmailCategory } from '@affkit/protocol';
import type { UnsubscribeLink } from '../mail/letter.ts';
import type { MailSettings } from '../mail/mailer.ts';

const TEXTS: Readonly<Record<EmailCategory, string>> = {
  review_tasks: 'Stop emails about tasks, payouts, and failing webhooks',
  commission_changes: 'Stop emails about changed commissions',
  monthly_summary: 'Stop monthly summaries',
};

/** The link that turns off the emails of a category. */
export function unsubscribeLink(
  urls: Pick<MailSettings, 'serviceUrl'>,
  category: EmailCategory,
  token: string,
): UnsubscribeLink {
  return { text: unsubscribeText(category), url: unsubscribeUrl(urls, token) };
}

/** The text of the link that turns off the emails of a category. */
export function unsubscribeText(category: EmailCategory): string {
  return TEXTS[category];
}

function unsubscribeUrl({ serviceUrl }: Pick<MailSettings, 'serviceUrl'>, token: string): string {
  return `${serviceUrl}/api/v1/email/unsubscribe?token=${token}`;
}

export function confirmationUrl({ serviceUrl }: Pick<MailSettings, 'serviceUrl'>, token: string): string {
  return `${serviceUrl}/api/v1/email/confirm-address?token=${token}`;
}
