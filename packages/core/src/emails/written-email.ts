import type { Letter } from '../mail/letter.ts';
import type { MailSettings } from '../mail/mailer.ts';
import type { Runtime } from '../runtime.ts';
import type { EmailRow } from '../storage/accounts/emails.ts';
import type { Transaction } from '../storage/database/engine/engine.ts';

/** A stored email to write. */
export interface EmailJob {
  readonly tx: Transaction;
  readonly runtime: Runtime;
  readonly mail: MailSettings;
  readonly row: EmailRow;
}

/** The content of an email before it is rendered. */
export interface WrittenEmail {
  readonly letter: Letter;
  /** The workspace or program in whose name it is sent. Null for the service itself. */
  readonly senderName: string | null;
  /** Null if the address was not confirmed. */
  readonly recipientName: string | null;
  /** `#rrggbb` */
  readonly accentColor?: string | null;
}
