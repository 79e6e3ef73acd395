import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { onTestFinished } from 'vitest';
import type { SmtpServer } from '../src/smtp-settings.ts';

/** An email that the mail server has received. */
interface ReceivedEmail {
  readonly sender: string;
  readonly recipients: readonly string[];
  readonly isEncrypted: boolean;
  readonly user: string | undefined;
  /** The headers and the body. */
  readonly source: string;
}

/**
 * Callbacks with which a test determines the server's replies. A thrown error with a `responseCode` becomes
 * the reply.
 */
interface SmtpBehavior {
  onRecipient?: (address: string) => void | Promise<void>;
  onSender?: (address: string) => void;
  onMessage?: (email: ReceivedEmail) => void | Promise<void>;
}

export interface TestSmtpServer extends SmtpBehavior {
  readonly port: number;
  readonly received: ReceivedEmail[];
  /** Returns settings with which the mailer can reach this server. */
  settings(changes?: Partial<SmtpServer>): SmtpServer;
}

/** Starts a mail server on a loopback address. It stops when the test finishes. */
export async function startSmtpServer(options: SMTPServerOptions = {}): Promise<TestSmtpServer> {
  const smtp = await openSmtpServer(options);
  onTestFinished(() => smtp.close());
  return smtp;
}

/** Starts a mail server on a loopback address, which the caller must close. */
export async function openSmtpServer(
  options: SMTPServerOptions = {},
): Promise<TestSmtpServer & { close(): Promise<void> }> {
  const received: ReceivedEmail[] = [];
  const reply = (work: () => void | Promise<void>, done: (error?: Error | null) => void) => {
    Promise.resolve()
      .then(work)
      .then(() => done(), done);
  };
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: options.key === undefined ? ['STARTTLS'] : [],
    allowInsecureAuth: false,
    onAuth: ({ username, password }, _session, done) =>
      password === 'right' ? done(null, { user: username }) : done(smtpError(535, 'Wrong password')),
    onMailFrom: ({ address }, _session, done) => reply(() => smtp.onSender?.(address), done),
    onRcptTo: ({ address }, _session, done) => reply(() => smtp.onRecipient?.(address), done),
    onData: (stream, { envelope, secure, user }, done) =>
      reply(async () => {
        const email = {
          sender: envelope.mailFrom === false ? '' : envelope.mailFrom.address,
          recipients: envelope.rcptTo.map(({ address }) => address),
          isEncrypted: secure,
          user: typeof user === 'string' ? user : undefined,
          source: await text(stream),
        };
        await smtp.onMessage?.(email);
        received.push(email);
      }, done),
    ...options,
  });
  // Errors are expected: clients that reject the certificate close the connection.
  server.on('error', () => {});
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  const { port } = server.server.address() as AddressInfo;
  const smtp: Awaited<ReturnType<typeof openSmtpServer>> = {
    port,
    received,
    settings: (changes) => ({
      host: 'localhost',
      port,
      security: 'optional',
      credentials: undefined,
      ...changes,
    }),
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
  return smtp;
}

/** Creates an error that makes the server reply with this code. */
export function smtpError(responseCode: number, message: string): Error {
  return Object.assign(new Error(message), { responseCode });
}
