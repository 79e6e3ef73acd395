import { type MailMessage, MailRefused } from '@affkit/core';
import { expect, onTestFinished, test } from 'vitest';
import { selfSignedCertificate } from '../../tracker/test/certificate.ts';
import { smtpError, startSmtpServer, type TestSmtpServer } from '../test/smtp-server.ts';
import { createSmtpMailer } from './smtp-mailer.ts';
import type { SmtpServer } from './smtp-settings.ts';

const FROM = { address: 'affiliates@shop.example', name: 'Shop' };
const MESSAGE: MailMessage = {
  from: { address: FROM.address, name: 'Tea "& Co", <x@evil.test>' },
  to: { address: 'ann@partner.example', name: 'Änn, Bob' },
  subject: 'Grüße',
  text: 'Hello Änn\n.\nBye\n',
  html: '<p>Hello Änn</p>\n',
  headers: { 'Auto-Submitted': 'auto-generated' },
  messageId: '<key@shop.example>',
};

type Parts = Parameters<typeof createSmtpMailer>[1];

function openMailer(server: SmtpServer, parts?: Parts) {
  const mailer = createSmtpMailer({ server, from: FROM }, parts);
  onTestFinished(() => mailer.close());
  return mailer;
}

/** Sends the message and returns the error. */
const failureOf = (smtp: TestSmtpServer, changes?: Partial<SmtpServer>, parts?: Parts) =>
  openMailer(smtp.settings(changes), parts)
    .send(MESSAGE)
    .then(
      () => null,
      (error: unknown) => error,
    );

test('sends one email to one recipient, even if names contain quotes, commas, and addresses', async () => {
  const smtp = await startSmtpServer();
  await openMailer(smtp.settings()).send(MESSAGE);
  const [email, ...others] = smtp.received;
  expect(others).toEqual([]);
  expect(email).toMatchObject({ sender: FROM.address, recipients: ['ann@partner.example'] });
  const source = email?.source ?? '';
  for (const header of [
    'Message-ID: <key@shop.example>',
    'Auto-Submitted: auto-generated',
    'MIME-Version: 1.0',
  ]) {
    expect(source).toContain(header);
  }
  expect(source).toContain('From: "Tea \\"& Co\\", <x@evil.test>" <affiliates@shop.example>');
  expect(source).toMatch(/^Subject: =\?UTF-8\?Q\?Gr=C3=BC=C3=9Fe\?=/m);
  expect(source).toMatch(/multipart\/alternative/);
  expect(source).toContain('Hello =C3=84nn');
});

test('sends many emails at the same time, each once', async () => {
  const smtp = await startSmtpServer();
  const mailer = openMailer(smtp.settings());
  const ids = Array.from({ length: 30 }, (_, index) => `<${index}@shop.example>`);
  await Promise.all(ids.map((messageId) => mailer.send({ ...MESSAGE, messageId })));
  const sent = smtp.received.map(({ source }) => /^Message-ID: (.*)$/m.exec(source)?.[1]?.trim());
  expect(sent.toSorted()).toEqual(ids.toSorted());
});

test.each([
  [450, 550, 'the recipient', (code: number) => ({ onRecipient: () => reject(code) })],
  [451, 554, 'the message', (code: number) => ({ onMessage: () => reject(code) })],
])('retries after reply %i, but not after %i, about %s', async (temporary, permanent, _what, behave) => {
  const smtp = await startSmtpServer();
  Object.assign(smtp, behave(temporary));
  expect(await failureOf(smtp)).not.toBeInstanceOf(MailRefused);
  Object.assign(smtp, behave(permanent));
  const refused = await failureOf(smtp);
  expect(refused).toBeInstanceOf(MailRefused);
  expect(refused).toMatchObject({ message: expect.stringContaining(`${permanent} Not here`) });
  expect(smtp.received).toEqual([]);
});

test('treats a refused sender or password as wrong settings, so that the email is retried', async () => {
  const smtp = await startSmtpServer(selfSignedCertificate('localhost'));
  smtp.onSender = () => reject(550);
  const sender = await failureOf(smtp, {}, { tls: { rejectUnauthorized: false } });
  expect(sender).toMatchObject({ message: expect.stringContaining('550 Not here') });
  expect(sender).not.toBeInstanceOf(MailRefused);
  const credentials = { user: 'shop', password: 'wrong' };
  const signIn = await failureOf(smtp, { credentials }, { tls: { rejectUnauthorized: false } });
  expect(signIn).toMatchObject({ message: expect.stringContaining('535 Wrong password') });
  expect(signIn).not.toBeInstanceOf(MailRefused);
});

test('waits for a slow server, and retries when the server never replies or cannot be reached', async () => {
  const smtp = await startSmtpServer();
  smtp.onMessage = () => new Promise((resolve) => setTimeout(resolve, 50));
  expect(await failureOf(smtp)).toBeNull();
  smtp.onMessage = () => new Promise(() => {});
  const silent = await failureOf(smtp, {}, { replyTimeoutMs: 100 });
  expect(silent).toMatchObject({ code: 'ETIMEDOUT' });
  const closed = await failureOf(smtp, { port: 1 });
  expect(closed).toMatchObject({ code: 'ESOCKET' });
  for (const error of [silent, closed]) expect(error).not.toBeInstanceOf(MailRefused);
});

test.each([
  ['starttls', false],
  ['tls', true],
] as const)(
  'with %s and a password, sends only to a server whose certificate is valid',
  async (security, secure) => {
    const { key, cert } = selfSignedCertificate('localhost');
    const smtp = await startSmtpServer({ key, cert, secure });
    const credentials = { user: 'shop', password: 'right' };
    expect(await failureOf(smtp, { security, credentials })).toMatchObject({
      code: expect.stringMatching(/^E/),
    });
    expect(smtp.received).toEqual([]);
    expect(await failureOf(smtp, { security, credentials }, { tls: { ca: cert } })).toBeNull();
    expect(smtp.received).toMatchObject([{ isEncrypted: true, user: 'shop' }]);
  },
);

test('sends nothing to a server without TLS, unless the settings make STARTTLS optional', async () => {
  const smtp = await startSmtpServer();
  expect(await failureOf(smtp, { security: 'starttls' })).toMatchObject({ code: 'ETLS' });
  expect(smtp.received).toEqual([]);
  expect(await failureOf(smtp, { security: 'optional' })).toBeNull();
  expect(smtp.received).toMatchObject([{ isEncrypted: false }]);
});

function reject(code: number): never {
  throw smtpError(code, 'Not here');
}
