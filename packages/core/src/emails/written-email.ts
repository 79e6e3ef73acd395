import {
  type Letter,
  type MailContent,
  toOneLine,
  type UnsubscribeLink,
  writeLetter,
} from '../mail/letter.ts';
import type { MailSettings } from '../mail/mailer.ts';
import type { Runtime } from '../runtime.ts';
import type { EmailRow } from '../storage/accounts/emails.ts';
import type { Transaction } from '../storage/database/engine/engine.ts';

export interface EmailJob {
  readonly tx: Transaction;
  readonly runtime: Runtime;
  readonly mail: MailSettings;
  readonly row: EmailRow;
}

/** The content of an email before it is rendered. */
export interface WrittenEmail {
  readonly letter: Letter;
  /** The name of the workspace or program that sends the email. Null if the service itself sends it. */
  readonly senderName: string | null;
  /** Null in example emails, and if the email address may belong to somebody else. */
  readonly recipientName: string | null;
  /** `#rrggbb` */
  readonly accentColor?: string | null;
  /**
   * The unsubscribe link of an example email. Absent from all other emails, because `writeEmail` creates their
   * links.
   */
  readonly unsubscribe?: UnsubscribeLink | null;
}

/** Renders an email in the name of its sender. */
export function renderEmail(
  { letter, senderName, accentColor = null }: WrittenEmail,
  unsubscribe: UnsubscribeLink | null,
): MailContent {
  const brand = senderName === null ? null : toOneLine(senderName);
  return writeLetter(letter, { brand, accentColor, unsubscribe });
}

/** The display name of the sender. It can be empty. */
export function senderNameOf(
  { senderName }: Pick<WrittenEmail, 'senderName'>,
  mail: MailSettings | null,
): string {
  return toOneLine(senderName ?? mail?.mailer.from.name ?? '');
}
