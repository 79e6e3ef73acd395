import type { ConnectionOptions } from 'node:tls';
import { type Mailer, MailRefused } from '@affkit/core';
import { createTransport } from 'nodemailer';
import type { MailSender, SmtpServer } from './smtp-settings.ts';

/**
 * Core sends at most this many emails at the same time. With fewer connections, an email could time out while it
 * waits for a connection.
 */
const MAX_CONNECTIONS = 10;
const CONNECT_TIMEOUT_MS = 10_000;
/** A mail server with a spam filter may take this long to reply. Core waits 60 seconds in total for an email. */
const REPLY_TIMEOUT_MS = 40_000;

/** Sends emails by SMTP. */
export interface SmtpMailer extends Mailer {
  /** Closes idle connections. Emails that are being sent are still delivered. */
  close(): void;
}

/** Parts that tests can replace. */
interface SmtpParts {
  readonly tls?: ConnectionOptions;
  readonly replyTimeoutMs?: number;
}

export function createSmtpMailer(
  { server, from }: { readonly server: SmtpServer; readonly from: MailSender },
  { tls, replyTimeoutMs = REPLY_TIMEOUT_MS }: SmtpParts = {},
): SmtpMailer {
  const { host, port, security, credentials } = server;
  const transport = createTransport({
    pool: true,
    maxConnections: MAX_CONNECTIONS,
    host,
    port,
    secure: security === 'tls',
    requireTLS: security === 'starttls',
    ...(credentials && { auth: { user: credentials.user, pass: credentials.password } }),
    dnsTimeout: CONNECT_TIMEOUT_MS,
    connectionTimeout: CONNECT_TIMEOUT_MS,
    greetingTimeout: CONNECT_TIMEOUT_MS,
    socketTimeout: replyTimeoutMs,
    disableFileAccess: true,
    disableUrlAccess: true,
    ...(tls && { tls }),
  });
  return {
    from,
    send: async ({ from, to, subject, text, html, headers, messageId }) => {
      try {
        await transport.sendMail({
          from: { name: from.name ?? '', address: from.address },
          to: { name: to.name ?? '', address: to.address },
          subject,
          text,
          html,
          headers: { ...headers },
          messageId,
        });
      } catch (error) {
        throw isPermanent(error) ? new MailRefused(messageOf(error), { cause: error }) : error;
      }
    },
    close: () => transport.close(),
  };
}

/**
 * Whether the mail server refused the recipient or the message. Other 5xx replies, such as for the sign-in or
 * the sender, mean that the settings are wrong. The email is then retried, so that it is not lost before the
 * operator corrects the settings.
 */
function isPermanent(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code, command, responseCode } = error as Error & {
    readonly code?: unknown;
    readonly command?: unknown;
    readonly responseCode?: unknown;
  };
  // Nodemailer rejects an address that SMTP cannot represent, and would reject it again in every retry.
  if (code === 'EENVELOPE' && command === 'API') return true;
  const isRefusal = typeof responseCode === 'number' && responseCode >= 500;
  return isRefusal && (command === 'RCPT TO' || command === 'DATA');
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
