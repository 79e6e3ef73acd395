/** An email address with an optional display name. */
export interface MailAddress {
  readonly address: string;
  /** Plain text without line breaks. Quote and encode the name if your transport requires that. */
  readonly name?: string;
}

/** An email to send. */
export interface MailMessage {
  /** The address of `Mailer.from`, usually with the name of a workspace or program. */
  readonly from: MailAddress;
  readonly to: MailAddress;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** Additional headers, such as `Auto-Submitted` and `List-Unsubscribe`. */
  readonly headers: Readonly<Record<string, string>>;
  /**
   * The `Message-ID` header, including the angle brackets. All attempts to send the message use the same id.
   * If your mail service supports idempotency keys, you can use this value as the key.
   */
  readonly messageId: string;
}

/**
 * Sends emails. Affkit first stores each email in the database, in the same transaction as the change that causes the
 * email. A background job then passes the email to `send`. If the process ends before the result is stored, the email
 * is sent again with the same `messageId`.
 */
export interface Mailer {
  /** The sender. The sender's name is used for emails that do not belong to a workspace, such as password resets. */
  readonly from: MailAddress;
  /**
   * Sends one email. Several calls may run at the same time. A call that takes longer than 60 seconds counts
   * as failed and is retried.
   *
   * @throws MailRefused when a retry cannot succeed, for example because the mailbox does not exist. After
   * any other error, Affkit retries with backoff until the email expires.
   */
  send(message: MailMessage): Promise<void>;
}

/** Throw this error when an email was refused permanently. The error message is shown to the advertiser. */
export class MailRefused extends Error {
  override readonly name = 'MailRefused';
}

/** How emails are sent, and where their links lead. */
export interface MailSettings {
  readonly mailer: Mailer;
  /** The URL of the dashboard, without a trailing slash. */
  readonly dashboardUrl: string;
  /** The URL of the service, without a trailing slash. The paths of all routes are below this URL. */
  readonly serviceUrl: string;
}
