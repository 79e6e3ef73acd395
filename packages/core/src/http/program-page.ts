import { applicationRequest, updateProgramPageRequest } from '@affkit/protocol';
import { signFormToken } from '../access/form-token.ts';
import { describeCommission } from '../domain/commission-text.ts';
import { submitApplication } from '../management/applications.ts';
import { changeProgramPage, programPageStateOf } from '../management/program-page.ts';
import { isRejection, Rejection } from '../rejection.ts';
import type { Runtime } from '../runtime.ts';
import {
  findProgramPage,
  findPublishedProgram,
  type PublishedProgram,
} from '../storage/programs/program-pages.ts';
import { toOfferReply } from './marketplace.ts';
import { type Route, replyWithItem, route } from './route.ts';

const PAGE_PATH = '/api/advertiser/affiliate-programs/:id/page';
const PUBLIC_PATH = '/api/v1/programs/:slug';
/**
 * Large enough for a page or an application whose texts and logo have their maximum length. Each character of a text
 * can take four bytes.
 */
const MAX_PAGE_BYTES = 256 * 1024;

export const programPageRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: PAGE_PATH,
    // `program:read` is not enough, because the reply contains the invitation codes. Anyone who knows a code is
    // approved without a review.
    access: { kind: 'management', scope: 'program:update', program: true },
    handle: async (runtime, { caller: { program } }) =>
      replyWithItem(await findProgramPage(runtime.engine.read, program.id), programPageStateOf),
  }),
  route({
    method: 'PUT',
    path: PAGE_PATH,
    access: { kind: 'management', scope: 'program:update', program: true },
    body: updateProgramPageRequest,
    maxBodyBytes: MAX_PAGE_BYTES,
    handle: async (runtime, { caller: { program }, body }) =>
      replyWithItem(await changeProgramPage(runtime, program, body), programPageStateOf),
  }),
  route({
    method: 'GET',
    path: PUBLIC_PATH,
    access: { kind: 'public' },
    isRateLimited: true,
    handle: async (runtime, { params }) => {
      const published = await findPublishedProgram(runtime.engine.read, params.slug);
      if (!published) return new Rejection('program_not_found');
      // Each visitor needs a new form token.
      const headers = { 'cache-control': 'no-store' };
      return { headers, body: { success: true, data: toPublicProgramReply(runtime, published) } };
    },
  }),
  route({
    method: 'POST',
    path: `${PUBLIC_PATH}/applications`,
    access: { kind: 'public' },
    isRateLimited: true,
    body: applicationRequest,
    maxBodyBytes: MAX_PAGE_BYTES,
    handle: async (runtime, { params, request, body }) => {
      const status = await submitApplication(runtime, params.slug, { fields: body, ip: request.ip });
      return isRejection(status) ? status : { body: { success: true, data: { status } } };
    },
  }),
];

function toPublicProgramReply(runtime: Runtime, { program, page, terms }: PublishedProgram) {
  const { description, terms: termsText, logo, accent_color, questions } = programPageStateOf(page);
  const { currency: _currency, ...commission } = toOfferReply(terms, program.currency);
  return {
    name: program.name,
    slug: program.slug,
    site_url: program.siteUrl,
    currency: program.currency,
    cookie_window_days: program.cookieWindowDays,
    hold_days: program.holdDays,
    commission: { ...commission, text: describeCommission(terms, program) },
    description,
    terms: termsText,
    logo,
    accent_color,
    questions,
    takes_invitation_code: page.invitationCodes.length > 0,
    captcha:
      runtime.captcha === null
        ? null
        : { service: runtime.captcha.service, site_key: runtime.captcha.siteKey },
    form_token: signFormToken(runtime, program.id),
  };
}
