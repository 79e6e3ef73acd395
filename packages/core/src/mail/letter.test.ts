import { EMAIL_TEMPLATES } from '@affkit/protocol';
import { expect, test } from 'vitest';
import { sampleLetter } from '../emails/samples.ts';
import { toOneLine, writeLetter } from './letter.ts';
import { applicationRejectedMail } from './templates/applications.ts';
import { partnerInvitationMail, passwordResetMail } from './templates/invitations.ts';

const INVITATION = {
  name: 'Ann',
  workspaceName: 'Acme',
  programName: 'Tea',
  dashboardUrl: 'https://a.example/shop/app',
  token: 'affi_x',
  expiresAt: Date.UTC(2026, 0, 31, 12),
};

test.each([
  ['Tea\r\nBcc: x@evil.test', 'Tea Bcc: x@evil.test'],
  ['  a\u2028b\u202Ec\u200B ', 'a b c'],
  ['é'.repeat(150), `${'é'.repeat(99)}…`],
  ['', ''],
])('writes the name %j on one line', (name, line) => {
  expect(toOneLine(name)).toBe(line);
});

test('escapes names in HTML, but not in plain text', () => {
  const hostile = `<img src=x onerror="a('&')">`;
  const letter = partnerInvitationMail({ ...INVITATION, workspaceName: hostile, name: hostile });
  const { subject, text, html } = writeLetter(letter);
  expect(subject).toContain(hostile);
  expect(text).toContain(`Hello ${hostile},`);
  expect(html).not.toContain('<img');
  expect(html).toContain('&lt;img src=x onerror=&quot;a(&#39;&amp;&#39;)&quot;&gt;');
});

test('the password reset email links to the dashboard with the code in the fragment, and loads no resources', () => {
  const { text, html } = writeLetter(
    passwordResetMail({ ...INVITATION, email: 'ann@a.example', code: 'affr_x' }),
  );
  expect(text).toContain('https://a.example/shop/app/reset#affr_x');
  expect(text).toContain('until 2026-01-31 12:00 UTC');
  expect(html).toContain('href="https://a.example/shop/app/reset#affr_x"');
  expect(html).not.toMatch(/src=|@import|url\(/);
  expect(text).not.toMatch(/<\/?[a-z]/);
});

const HOSTILE = `</title></style><img src=https://evil.test/x onerror=alert(1)>\r\nBcc: x@evil.test\u202E"'&`;

test.each(EMAIL_TEMPLATES)('writes %s with only known tags and links if names contain markup', (kind) => {
  const urls = { dashboardUrl: 'https://a.example/app', serviceUrl: 'https://a.example' };
  const names = { programName: HOSTILE, workspaceName: HOSTILE };
  const letter = sampleLetter(kind, { ...names, accentColor: null, urls, now: Date.UTC(2026, 0, 15) });
  const unsubscribe = { text: 'Stop', url: `https://a.example/?token=a&b="><script>` };
  const frame = { brand: toOneLine(HOSTILE), accentColor: '#ffff00', unsubscribe };
  const { subject, text, html } = writeLetter(letter, frame);
  expect(subject).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
  expect([...subject].length).toBeLessThanOrEqual(250);
  const tags = new Set([...html.matchAll(/<\/?([a-z0-9!]+)/gi)].map(([, name]) => name?.toLowerCase()));
  const known = ['!doctype', 'html', 'head', 'meta', 'title', 'body', 'div', 'p', 'a', 'br', 'blockquote'];
  expect([...tags].filter((tag) => ![...known, 'table', 'tr', 'td'].includes(tag ?? ''))).toEqual([]);
  expect(html).not.toMatch(/(?:src|onerror)="/);
  const links = [...html.matchAll(/href="([^"]*)"/g)].map(([, url]) => url);
  expect(links.every((url) => url?.startsWith('https://a.example/'))).toBe(true);
  expect(text).toContain('Stop\nhttps://a.example/');
  for (const [name, value] of letter.facts ?? []) expect(text).toContain(`${name}: ${value}`);
  if (letter.button) expect(text).toContain(letter.button.url);
});

test('quotes the text of another person, line by line', () => {
  const reason = 'Not <b>tea</b>.\r\n\u202ESorry\n';
  const letter = applicationRejectedMail({ name: 'Ann', programName: 'Tea', reason });
  const { text, html } = writeLetter(letter);
  expect(text).toContain('for this reason:\n\n> Not <b>tea</b>.\n> Sorry\n');
  expect(html).toContain('Not &lt;b&gt;tea&lt;/b&gt;.<br>Sorry<br>');
});
