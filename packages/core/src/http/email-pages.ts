import { hash } from 'node:crypto';
import { ERRORS, emailLinkQuery } from '@affkit/protocol';
import { openUnsubscribeToken } from '../access/email-link.ts';
import { unsubscribeText } from '../emails/links.ts';
import {
  type ApplicationOfLink,
  confirmAddress,
  findApplicationOfLink,
} from '../management/confirm-address.ts';
import { turnOffEmails } from '../management/email-preferences.ts';
import { isRejection, Rejection } from '../rejection.ts';
import { pageStyle } from './apply-page/page-style.ts';
import { acceptsHtml, renderDocument } from './apply-page/render-page.ts';
import { Html, html } from './html.ts';
import type { HttpRequest } from './message.ts';
import { type Reply, type Route, route } from './route.ts';

const CONFIRM_PATH = '/api/v1/email/confirm-address';
const UNSUBSCRIBE_PATH = '/api/v1/email/unsubscribe';
/**
 * The maximum size of a submitted form. The content of the form is ignored, because the URL already says what
 * to do.
 */
const MAX_FORM_BYTES = 8 * 1024;
const EMAIL_PAGE_ACCESS = { kind: 'public' } as const;

const TEXTS = {
  confirm: 'Confirm your address',
  confirmText: (program: string) => `Confirm that you have applied to the partner program of ${program}.`,
  confirmed: 'Your address is confirmed',
  pending: (program: string) => `${program} will review your application and write to you.`,
  approved: (program: string) =>
    `${program} has approved your application. You get an email with a link to your account.`,
  decided: (program: string) => `${program} has decided on your application. There is nothing to do here.`,
  unsubscribe: 'Stop these emails',
  unsubscribed: 'The emails are stopped',
  unsubscribedText: 'You can turn these emails on again on your account page.',
  invalid: 'This link does not work',
} as const;

/**
 * The pages behind links in emails. They work without a script and without a session. Mail programs open links to check
 * them, so only the button of a page changes something.
 */
export const emailPageRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: CONFIRM_PATH,
    access: EMAIL_PAGE_ACCESS,
    query: emailLinkQuery,
    isRateLimited: true,
    handle: async (runtime, { query, request }) => {
      const found = await findApplicationOfLink(runtime, query.token ?? '');
      if (isRejection(found)) return replyWithRejection(request, found);
      // The advertiser may have decided already. The applicant can still confirm the address.
      if (found.isConfirmed) return replyWithStatus(found);
      return replyWithForm(TEXTS.confirm, TEXTS.confirmText(found.program.name));
    },
  }),
  route({
    method: 'POST',
    path: CONFIRM_PATH,
    access: EMAIL_PAGE_ACCESS,
    query: emailLinkQuery,
    isRateLimited: true,
    readsBytes: true,
    handle: async (runtime, { query, request, readBytes }) => {
      if ((await readBytes(MAX_FORM_BYTES)) === 'too_large') return new Rejection('body_too_large');
      const confirmed = await confirmAddress(runtime, query.token ?? '');
      return isRejection(confirmed) ? replyWithRejection(request, confirmed) : replyWithStatus(confirmed);
    },
  }),
  route({
    method: 'GET',
    path: UNSUBSCRIBE_PATH,
    access: EMAIL_PAGE_ACCESS,
    query: emailLinkQuery,
    isRateLimited: true,
    handle: async (runtime, { query, request }) => {
      const optOut = openUnsubscribeToken(runtime, query.token ?? '');
      if (optOut === null) return replyWithRejection(request, new Rejection('email_link_invalid'));
      return replyWithForm(TEXTS.unsubscribe, `${unsubscribeText(optOut.category)}: ${optOut.recipient}`);
    },
  }),
  route({
    method: 'POST',
    path: UNSUBSCRIBE_PATH,
    access: EMAIL_PAGE_ACCESS,
    query: emailLinkQuery,
    isRateLimited: true,
    readsBytes: true,
    handle: async (runtime, { query, request, readBytes }) => {
      if ((await readBytes(MAX_FORM_BYTES)) === 'too_large') return new Rejection('body_too_large');
      const optOut = openUnsubscribeToken(runtime, query.token ?? '');
      if (optOut === null) return replyWithRejection(request, new Rejection('email_link_invalid'));
      await turnOffEmails(runtime, optOut);
      return replyWithPage(TEXTS.unsubscribed, html`<p role="status">${TEXTS.unsubscribedText}</p>`);
    },
  }),
];

function replyWithStatus({ program, status }: ApplicationOfLink): Reply {
  const text = status === 'pending' || status === 'approved' ? TEXTS[status] : TEXTS.decided;
  return replyWithPage(TEXTS.confirmed, html`<p role="status">${text(program.name)}</p>`);
}

/** The form has no `action`, so the browser submits it to the URL of the page. */
function replyWithForm(title: string, text: string): Reply {
  return replyWithPage(title, html`<p>${text}</p><form method="post"><button>${title}</button></form>`);
}

function replyWithRejection(request: HttpRequest, rejection: Rejection): Reply | Rejection {
  if (!acceptsHtml(request)) return rejection;
  const body = html`<p role="alert">${rejection.message}</p>`;
  return { ...replyWithPage(TEXTS.invalid, body), status: ERRORS[rejection.code].status };
}

function replyWithPage(title: string, body: Html): Reply {
  const style = pageStyle(null);
  const styleHash = hash('sha256', style, 'base64');
  return {
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-robots-tag': 'noindex',
      'content-security-policy': `default-src 'none'; style-src 'sha256-${styleHash}'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
    },
    body: renderDocument(title, new Html(style), html`<h1>${title}</h1>${body}`).text,
  };
}
