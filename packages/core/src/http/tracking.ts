import {
  describedLeadRequest,
  describedSaleRequest,
  ERRORS,
  trackClickRequest,
  trackLeadRequest,
  trackRefundRequest,
  trackSaleRequest,
  trackTestSaleRequest,
} from '@affkit/protocol';
import type { z } from 'zod';
import { readPartnerCode } from '../domain/partner-code.ts';
import { isRejection, Rejection } from '../rejection.ts';
import type { Runtime } from '../runtime.ts';
import type { Recorders } from '../tracking/recorders.ts';
import { type RecordedTestEvent, trackClick } from '../tracking/track-click.ts';
import { trackLead, trackTestLead } from '../tracking/track-lead.ts';
import { trackRefund } from '../tracking/track-refund.ts';
import { trackTestRefund } from '../tracking/track-test-refund.ts';
import { trackTestSale } from '../tracking/track-test-sale.ts';
import { clickCookie } from './click-cookie.ts';
import { withRequestId } from './log-request-id.ts';
import type { HttpRequest } from './message.ts';
import { parse } from './parse.ts';
import { addRefusal, reportRefusal } from './refusals.ts';
import { type BodyFields, type Call, type Reply, type Route, route } from './route.ts';

const PUBLIC_ROUTE_ACCESS = { kind: 'public' } as const;
const OPTIONAL_TOKEN_ROUTE_ACCESS = { kind: 'optional_token' } as const;
const TOKEN_ROUTE_ACCESS = { kind: 'token' } as const;

const INACTIVE_LINK_REPLY = {
  message: 'This referral link is inactive. Nothing was tracked.',
  code: 'link_inactive',
} as const;

/** The current prefix of the tracking routes, and the prefix that older trackers use. */
const TRACKING_ROUTE_PREFIXES = ['/api/v1/track', '/api/tracking'] as const;

export function trackingRoutes(recorders: Recorders): Route[] {
  return TRACKING_ROUTE_PREFIXES.flatMap((prefix) => [
    route({
      method: 'POST',
      path: `${prefix}/click`,
      access: PUBLIC_ROUTE_ACCESS,
      crossOrigin: true,
      limiter: 'clicks',
      failure: 'click_failed',
      tracks: 'click',
      onRejected: reportRefusal(recorders.refusals, 'click'),
      // The handler parses the body, because it must report an invalid URL before other invalid fields.
      body: { parsedByHandler: trackClickRequest },
      handle: (runtime, call) => handleClick(runtime, recorders, call),
    }),
    route({
      method: 'POST',
      path: `${prefix}/lead`,
      access: OPTIONAL_TOKEN_ROUTE_ACCESS,
      crossOrigin: true,
      failure: 'lead_failed',
      tracks: 'lead',
      onRejected: reportRefusal(recorders.refusals, 'lead'),
      // The handler parses the body, because it must read the test mode first. The test mode determines whether
      // a rejected token is ignored, and which error a missing identifier causes.
      body: { parsedByHandler: describedLeadRequest },
      handle: (runtime, call) => handleLead(runtime, recorders, call),
    }),
    route({
      method: 'POST',
      path: `${prefix}/sale`,
      access: TOKEN_ROUTE_ACCESS,
      failure: 'sale_failed',
      tracks: 'sale',
      onRejected: reportRefusal(recorders.refusals, 'sale'),
      // The handler parses the body, because the test mode determines which of the two schemas applies.
      body: { parsedByHandler: describedSaleRequest },
      handle: (runtime, call) => handleSale(runtime, recorders.sales, call),
    }),
    route({
      method: 'POST',
      path: `${prefix}/refund`,
      access: TOKEN_ROUTE_ACCESS,
      failure: 'refund_failed',
      tracks: 'refund',
      onRejected: reportRefusal(recorders.refusals, 'refund'),
      body: trackRefundRequest,
      handle: handleRefund,
    }),
  ]);
}

async function handleClick(
  runtime: Runtime,
  recorders: Recorders,
  { request, body, requestId }: Call<typeof PUBLIC_ROUTE_ACCESS>,
): Promise<Reply | Rejection> {
  const input = parse(trackClickRequest, body);
  if (isRejection(input)) return checkAffiliateUrl(body) ?? input;
  const outcome = await trackClick(runtime, recorders, input, {
    ...browserOf(runtime, request),
    userAgent: request.header('user-agent'),
    ip: request.ip,
    requestId,
  });
  if (isRejection(outcome)) return outcome;
  if (outcome.kind === 'test') return testReply('Test click recorded', outcome);
  if (outcome.kind === 'inactive') {
    addRefusal(recorders.refusals, 'click', { caller: null, body, requestId }, INACTIVE_LINK_REPLY);
    const { code } = INACTIVE_LINK_REPLY;
    runtime.telemetry?.measure('affkit.tracking.rejections', 1, { route: 'click', code });
    return { body: { success: false, ...INACTIVE_LINK_REPLY } };
  }
  const { reply, cookieDomain } = outcome;
  const cookie = clickCookie(request, cookieDomain, reply);
  return {
    ...(cookie !== null && { cookies: [cookie] }),
    body: {
      success: true,
      click_id: reply.clickId,
      partner_code: reply.partnerCode,
      cookie_window_days: reply.cookieWindowDays,
      attributed_partner_code: reply.attributedPartnerCode,
      attribution_model: reply.attributionModel,
    },
  };
}

function checkAffiliateUrl(body: BodyFields): Rejection | null {
  const url = trackClickRequest.shape.affiliate_url.safeParse(body['affiliate_url']);
  const code = url.success ? readPartnerCode(url.data) : null;
  return isRejection(code) ? code : null;
}

async function handleLead(
  runtime: Runtime,
  recorders: Recorders,
  { request, body, caller: program, requestId }: Call<typeof OPTIONAL_TOKEN_ROUTE_ACCESS>,
): Promise<Reply | Rejection> {
  const isTest = isTestMode(body);
  // A test event is accepted even with an invalid token, but then its program is unknown.
  if (isRejection(program) && !isTest) return program;
  const input = parse(trackLeadRequest, body);
  if (isRejection(input)) {
    return isTest || namesCustomer(body)
      ? input
      : withIdHint(new Rejection('lead_identifier_required'), body);
  }
  const browser = browserOf(runtime, request);
  if (isTest) {
    const tokenProgram = isRejection(program) ? null : program;
    const recorded = await trackTestLead(runtime, recorders.testEvents, input, tokenProgram, browser);
    return isRejection(recorded) ? recorded : testReply('Test lead recorded', recorded);
  }
  const source =
    program && !isRejection(program)
      ? { mode: 'server' as const, program }
      : { mode: 'browser' as const, ...browser };
  const outcome = await trackLead(runtime, recorders.leads, input, source, requestId);
  return isRejection(outcome) ? outcome : { body: { success: true, message: 'Lead tracked successfully' } };
}

async function handleSale(
  runtime: Runtime,
  recorder: Recorders['sales'],
  { body, caller: program, requestId }: Call<typeof TOKEN_ROUTE_ACCESS>,
): Promise<Reply | Rejection> {
  if (isTestMode(body)) {
    const input = parse(trackTestSaleRequest, body);
    if (isRejection(input)) return input;
    const recorded = await trackTestSale(runtime, program, input);
    return isRejection(recorded) ? recorded : testReply('Test sale recorded', recorded);
  }
  // If neither `customer_key` nor `click_id` is a string, the sale has no customer. If one of them is a
  // string, both are validated.
  const input = parse(trackSaleRequest, namesCustomer(body) ? body : withoutIds(body));
  if (isRejection(input)) return input;
  const outcome = await recorder.record({ program, sale: input, requestId });
  if (isRejection(outcome)) {
    return outcome.code === 'sale_customer_not_found' ? withIdHint(outcome, body) : outcome;
  }
  if (outcome.kind === 'commission_owed') {
    runtime.log.warn({ request_id: requestId, sale_id: outcome.saleId }, ERRORS.commission_failed.message);
    return new Rejection('commission_failed', undefined, { details: { sale_id: outcome.saleId } });
  }
  const messages = {
    window_expired: 'Sale recorded. The attribution window has expired, so no commission was created.',
    recurring_ended: 'Sale recorded. The recurring period has ended, so no commission was created.',
    below_min_sale: 'Sale recorded. It is below the minimum of the program, so no commission was created.',
    zero_amount: 'Sale recorded. Its amount is 0, so no commission was created.',
  };
  return {
    body: {
      success: true,
      sale_id: outcome.saleId,
      commission_id: outcome.commissionId,
      message: outcome.reason === null ? 'Sale tracked successfully' : messages[outcome.reason],
      ...(outcome.reason !== null && { reason: outcome.reason }),
    },
  };
}

async function handleRefund(
  runtime: Runtime,
  {
    body,
    caller: program,
    requestId,
  }: Call<typeof TOKEN_ROUTE_ACCESS, unknown, unknown, z.output<typeof trackRefundRequest>>,
): Promise<Reply | Rejection> {
  if (body.additional_data?.test_mode === true) {
    const recorded = await trackTestRefund(runtime, program, body);
    return isRejection(recorded) ? recorded : testReply('Test refund recorded', recorded);
  }
  const outcome = await trackRefund(withRequestId(runtime, requestId), program, body);
  if (isRejection(outcome)) return outcome;
  switch (outcome.kind) {
    case 'deducted':
      return {
        body: {
          success: true,
          status: outcome.status,
          deductionAmount: outcome.deductionAmount,
          commission_id: outcome.commissionId,
        },
      };
    case 'skipped':
      return {
        body: {
          success: true,
          status: 'skipped',
          reason: outcome.reason,
          message: outcome.message,
          commission_id: outcome.commissionId,
        },
      };
    case 'no_commission':
      return {
        body: { success: true, status: 'no_commission', message: 'The sale has no commission to reverse' },
      };
  }
}

/** Returns the page's origin, and the host at which browsers reach the service. A proxy may replace `Host`. */
function browserOf(
  { publicOrigin }: Runtime,
  request: HttpRequest,
): { origin: string | undefined; ownHost: string | undefined } {
  const origin = request.header('origin');
  const isPublic = publicOrigin !== null && origin === publicOrigin;
  return { origin, ownHost: isPublic ? new URL(publicOrigin).host : request.header('host') };
}

function namesCustomer({ click_id, customer_key }: BodyFields): boolean {
  return typeof click_id === 'string' || typeof customer_key === 'string';
}

function withoutIds({ click_id, customer_key, ...fields }: BodyFields): BodyFields {
  return fields;
}

/** Ids that are not strings are ignored, so the message may ask for an id that the caller sent. The hint says why. */
function withIdHint(rejection: Rejection, body: BodyFields): Rejection {
  const names = ['customer_key', 'click_id'] as const;
  const name = names.find((name) => body[name] !== undefined && typeof body[name] !== 'string');
  if (name === undefined) return rejection;
  const hint = `${name} must be a string, such as "42". Affkit ignores an id of another type.`;
  return new Rejection(rejection.code, rejection.message, { details: { hint } });
}

function isTestMode(body: BodyFields): boolean {
  const additionalData = body['additional_data'];
  return (
    typeof additionalData === 'object' &&
    additionalData !== null &&
    'test_mode' in additionalData &&
    additionalData.test_mode === true
  );
}

function testReply(message: string, event: RecordedTestEvent): Reply {
  return {
    body: { success: true, message, data: testEventReplyFields(event) },
  };
}

export function testEventReplyFields({ eventId, programId }: RecordedTestEvent) {
  return { eventId, programId, test_mode: true };
}
