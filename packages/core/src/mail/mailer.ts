/** An email address with an optional display name. */
export interface MailAddress {
  readonly address: string;
  /** Plain text without line breaks. Quote and encode it if your transport needs that. */
  readonly name?: string;
}

/** An email to send. */
export interface MailMessage {
  /** The address of `Mailer.from`, often with the name of a workspace or program. */
  readonly from: MailAddress;
  readonly to: MailAddress;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** Further headers, such as `Auto-Submitted`. */
  readonly headers: Readonly<Record<string, string>>;
  /**
   * The `Message-ID` header, with its angle brackets. It is the same for each attempt to send a message, so a
   * service that supports idempotency keys can use it as one.
   */
  readonly messageId: string;
}

/**
 * Sends emails. Affkit stores each email in the transaction that causes it, and a background job passes it to
 * `send`. A process that ends between sending and storing the result sends the email again, with the same
 * `messageId`.
 */
export interface Mailer {
  /** The sender. Its name is used for emails that belong to no workspace, such as password resets. */
  readonly from: MailAddress;
  /**
   * Sends one email. Several calls may run at the same time. A call that takes longer than 60 seconds counts as
   * failed, and is retried.
   *
   * @throws MailRefused when a retry cannot succeed, for example because the mailbox does not exist. After any
   * other error, Affkit retries with backoff until the email is out of date.
   */
  send(message: MailMessage): Promise<void>;
}

/** The email was refused permanently. Its message is shown to the advertiser. */
export class MailRefused extends Error {
  override readonly name = 'MailRefused';
}

/** Where emails are sent, and the pages that their links open. */
export interface MailSettings {
  readonly mailer: Mailer;
  /** The address of the dashboard, without a trailing slash. */
  readonly dashboardUrl: string;
}
