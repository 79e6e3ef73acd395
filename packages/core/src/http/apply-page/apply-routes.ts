import { hash } from 'node:crypto';
import { ERRORS } from '@affkit/protocol';
import { signFormToken } from '../../access/form-token.ts';
import type { Captcha } from '../../captcha/captcha.ts';
import { submitApplication } from '../../management/applications.ts';
import { isRejection, Rejection } from '../../rejection.ts';
import { findPublishedProgram, type PublishedProgram } from '../../storage/programs/program-pages.ts';
import { Html } from '../html.ts';
import type { HttpRequest } from '../message.ts';
import { type Reply, type Route, route } from '../route.ts';
import { pageStyle } from './page-style.ts';
import { PAGE_TEXTS } from './page-texts.ts';
import { type FormFields, parseApplicationForm, readFormFields } from './read-form.ts';
import {
  acceptsHtml,
  describeProgram,
  renderDocument,
  renderNotFound,
  renderProgram,
  renderReceived,
} from './render-page.ts';

const PAGE_PATH = '/p/:slug';
/**
 * The maximum size of a submitted form: three times the maximum of an application in JSON, because form encoding
 * writes each special byte of an answer as three characters.
 */
const MAX_FORM_BYTES = 768 * 1024;
const MAX_INVITATION_CODE_LENGTH = 64;

/** The routes of a program's public page. The page needs no JavaScript unless it has a captcha. */
export const applyPageRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: PAGE_PATH,
    access: { kind: 'public' },
    isRateLimited: true,
    handle: async (runtime, { params, request }) => {
      const published = await findPublishedProgram(runtime.engine.read, params.slug);
      if (!published) return replyNotFound(request);
      const code = request.query.get('code')?.slice(0, MAX_INVITATION_CODE_LENGTH) ?? '';
      const form = {
        token: signFormToken(runtime, published.program.id),
        fields: new Map([['invitation_code', code]]),
        fault: null,
      };
      return replyWithPage(published, 200, renderProgram(published, form, runtime.captcha), runtime.captcha);
    },
  }),
  route({
    method: 'POST',
    path: PAGE_PATH,
    access: { kind: 'public' },
    isRateLimited: true,
    readsBytes: true,
    handle: async (runtime, { params, request, readBytes }) => {
      const bytes = await readBytes(MAX_FORM_BYTES);
      if (bytes === 'too_large') return new Rejection('body_too_large');
      const published = await findPublishedProgram(runtime.engine.read, params.slug);
      if (!published) return replyNotFound(request);
      const fields = readFormFields(bytes);
      const parsed = parseApplicationForm(fields, runtime.captcha?.tokenField ?? null);
      const outcome = isRejection(parsed)
        ? parsed
        : await submitApplication(runtime, params.slug, { fields: parsed, ip: request.ip });
      if (!isRejection(outcome)) return replyWithPage(published, 200, renderReceived(published));
      if (!acceptsHtml(request)) return outcome;
      const isOutdated = outcome.code === 'form_token_invalid';
      const token = isOutdated
        ? signFormToken(runtime, published.program.id)
        : (fields.get('form_token') ?? '');
      return replyWithFault(runtime.captcha, published, { token, fields }, outcome);
    },
  }),
];

/** Replies with the form again, with the submitted values and the reason for the rejection. */
function replyWithFault(
  captcha: Captcha | null,
  published: PublishedProgram,
  form: { readonly token: string; readonly fields: FormFields },
  { code, message, retryAfterSeconds }: Rejection,
): Reply {
  const reply = replyWithPage(
    published,
    ERRORS[code].status,
    renderProgram(published, { ...form, fault: message }, captcha),
    captcha,
  );
  if (retryAfterSeconds === undefined) return reply;
  return { ...reply, headers: { ...reply.headers, 'retry-after': String(Math.ceil(retryAfterSeconds)) } };
}

function replyNotFound(request: HttpRequest): Reply | Rejection {
  const rejection = new Rejection('program_not_found');
  return acceptsHtml(request)
    ? replyWithPage(null, ERRORS[rejection.code].status, renderNotFound())
    : rejection;
}

/** @param captcha the captcha on the page. Null if there is none */
function replyWithPage(
  published: PublishedProgram | null,
  status: number,
  body: Html,
  captcha: Captcha | null = null,
): Reply {
  const style = pageStyle(published?.page.accentColor ?? null);
  const title = published === null ? PAGE_TEXTS.notFound : PAGE_TEXTS.title(published.program.name);
  return {
    status,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      // Each visitor needs a new form token.
      'cache-control': 'no-store',
      'content-security-policy': policyOf(style, published?.page.embedOrigins ?? [], captcha?.origins ?? []),
      // The captcha service accepts a site key only on certain hosts, so it must know the host of the page.
      ...(captcha && { 'referrer-policy': 'strict-origin' }),
    },
    body: renderDocument(title, new Html(style), body, published && describeProgram(published)).text,
  };
}

/**
 * Returns the page's content security policy. Without a captcha, the page has no script and loads no resources.
 * Its `connect-src` allows the service's own origin, so that tools that check the page can read `robots.txt`.
 * With a captcha, `connect-src` does not allow that origin, because the captcha's script must not call the API.
 * Browsers prefer `frame-ancestors` over an `X-Frame-Options` header that the embedding app may add.
 */
function policyOf(style: string, embedOrigins: readonly string[], captchaOrigins: readonly string[]): string {
  const styleHash = hash('sha256', style, 'base64');
  const widget = captchaOrigins.map((origin) => ` ${origin}`).join('');
  const widgetPolicy = widget === '' ? '' : `script-src${widget}; frame-src${widget}; `;
  const ancestors = embedOrigins.length === 0 ? "'none'" : embedOrigins.join(' ');
  return `default-src 'none'; ${widgetPolicy}connect-src${widget || " 'self'"}; style-src 'sha256-${styleHash}'${widget}; img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors ${ancestors}`;
}
