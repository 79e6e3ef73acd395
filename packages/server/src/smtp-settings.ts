import { z } from 'zod';

/** The mail server that accepts emails for delivery. */
export interface SmtpServer {
  readonly host: string;
  readonly port: number;
  /**
   * `tls`: TLS from the start. `starttls`: STARTTLS is required after the greeting. `optional`: STARTTLS is
   * used if the server offers it.
   */
  readonly security: 'tls' | 'starttls' | 'optional';
  readonly credentials: { readonly user: string; readonly password: string } | undefined;
}

/** The sender of emails. */
export interface MailSender {
  readonly address: string;
  readonly name?: string;
}

const SMTP_URL_ERROR =
  'must be smtp://user:password@host:port or smtps://user:password@host:port, with special characters of the ' +
  'password, such as @ and #, percent-encoded. Add ?starttls=optional only if the mail server has no TLS';
const MAIL_FROM_ERROR =
  'must be an email address, with or without a name, such as Your Shop <affiliates@your-shop.example>';
/** The default ports for message submission with STARTTLS and with TLS. */
const DEFAULT_PORTS = { 'smtp:': 587, 'smtps:': 465 } as const;
const LOOPBACK = ['localhost', '127.0.0.1', '::1'];

export const smtpUrl = z.string().transform((text, context): SmtpServer => {
  const server = parseSmtpUrl(text);
  if (server !== null) return server;
  context.addIssue(SMTP_URL_ERROR);
  return z.NEVER;
});

export const mailFrom = z.string().transform((text, context): MailSender => {
  const sender = parseSender(text.trim());
  if (sender !== null) return sender;
  context.addIssue(MAIL_FROM_ERROR);
  return z.NEVER;
});

function parseSmtpUrl(text: string): SmtpServer | null {
  if (!URL.canParse(text)) return null;
  const url = new URL(text);
  const { protocol, hash, pathname, searchParams } = url;
  if (protocol !== 'smtp:' && protocol !== 'smtps:') return null;
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const parameters = [...searchParams].map(([name, value]) => `${name}=${value}`).join('&');
  const isOptional = parameters === 'starttls=optional' && protocol === 'smtp:';
  if (host === '' || hash !== '' || !['', '/'].includes(pathname)) return null;
  if (parameters !== '' && !isOptional) return null;
  const user = decode(url.username);
  const password = decode(url.password);
  if (user === null || password === null || (user === '') !== (password === '')) return null;
  return {
    host,
    port: url.port === '' ? DEFAULT_PORTS[protocol] : Number(url.port),
    security: protocol === 'smtps:' ? 'tls' : isOptional || LOOPBACK.includes(host) ? 'optional' : 'starttls',
    credentials: user === '' ? undefined : { user, password },
  };
}

function parseSender(text: string): MailSender | null {
  const start = text.indexOf('<');
  const isNamed = start >= 0 && text.endsWith('>');
  const address = isNamed ? text.slice(start + 1, -1) : text;
  if (!z.email().safeParse(address).success) return null;
  const name = isNamed ? unquote(text.slice(0, start).trim()) : '';
  return name === '' ? { address } : { address, name };
}

function unquote(text: string): string {
  return text.length >= 2 && text.startsWith('"') && text.endsWith('"') ? text.slice(1, -1) : text;
}

function decode(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
