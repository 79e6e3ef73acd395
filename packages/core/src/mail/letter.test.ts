import { expect, test } from 'vitest';
import { toOneLine } from './letter.ts';
import { partnerInvitationMail, passwordResetMail } from './templates.ts';

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
])('writes the name %j in one line', (name, line) => {
  expect(toOneLine(name)).toBe(line);
});

test('escapes names in HTML, and leaves them as they are in text', () => {
  const hostile = `<img src=x onerror="a('&')">`;
  const { subject, text, html } = partnerInvitationMail({
    ...INVITATION,
    workspaceName: hostile,
    name: hostile,
  });
  expect(subject).toContain(hostile);
  expect(text).toContain(`Hello ${hostile},`);
  expect(html).not.toContain('<img');
  expect(html).toContain('&lt;img src=x onerror=&quot;a(&#39;&amp;&#39;)&quot;&gt;');
});

test('links to the dashboard under its path, with the code in the fragment, and loads nothing', () => {
  const { text, html } = passwordResetMail({ ...INVITATION, email: 'ann@a.example', code: 'affr_x' });
  expect(text).toContain('https://a.example/shop/app/reset#affr_x');
  expect(text).toContain('until 2026-01-31 12:00 UTC');
  expect(html).toContain('href="https://a.example/shop/app/reset#affr_x"');
  expect(html).not.toMatch(/src=|@import|url\(/);
  expect(text).not.toMatch(/<\/?[a-z]/);
});
