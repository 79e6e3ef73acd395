import type { JSX } from 'preact';
import * as messages from '#messages/emails.tsx';
import { CodeBlock } from '../../ui/code-block.tsx';

const VARIABLES = `SMTP_URL='smtp://user:password@mail.your-shop.example:587'
MAIL_FROM='Your Shop affiliates <affiliates@your-shop.example>'
PUBLIC_URL='https://affiliates.your-shop.example'`;

/** Explains how to let the service send email. */
export function MailerGuide(): JSX.Element {
  return (
    <section class="card stack tight" aria-labelledby="no-mailer">
      <h2 id="no-mailer">{messages.notSetUp}</h2>
      <p>{messages.notSetUpText}</p>
      <CodeBlock title={messages.notSetUpCode} code={VARIABLES} />
      <p class="quiet">{messages.notSetUpMailer}</p>
    </section>
  );
}
