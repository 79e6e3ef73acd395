import { ERRORS, type ErrorCode, parseRowId, refusalsQuery } from '@affkit/protocol';
import { isoTime } from '../domain/calendar.ts';
import { programOfClickId } from '../domain/click-id.ts';
import { readPartnerCode } from '../domain/partner-code.ts';
import { excerptOf, maskText, type RequestExcerpt } from '../domain/request-excerpt.ts';
import { isRejection, type Rejection } from '../rejection.ts';
import type { ProgramAccount } from '../storage/programs/programs.ts';
import { listRefusals } from '../storage/tracking/refusals.ts';
import type { Recorders } from '../tracking/recorders.ts';
import type { RefusalLog, RefusedCall, TrackingRouteName } from '../tracking/refusal-log.ts';
import { replyWithList, rowRangeOf } from './pagination.ts';
import { type BodyFields, type RejectedCall, type Route, route } from './route.ts';

export function refusalRoutes({ refusals }: Pick<Recorders, 'refusals'>): Route[] {
  return [
    route({
      method: 'GET',
      path: '/api/advertiser/affiliate-programs/:id/refusals',
      access: { kind: 'management', scope: 'trace:read', program: true },
      query: refusalsQuery,
      handle: async ({ engine }, { query, caller: { program } }) => {
        // Store the calls that this process has rejected. Other processes store theirs within a second.
        await refusals.flush();
        const { code, q } = query;
        const text = q === undefined ? undefined : maskText(q).toLowerCase();
        const { rows, total } = await listRefusals(
          engine.read,
          program.id,
          { code, text },
          rowRangeOf(query),
          engine.dialect,
        );
        return replyWithList(rows.map(toRefusalReply), query, total);
      },
    }),
  ];
}

function toRefusalReply(row: Awaited<ReturnType<typeof listRefusals>>['rows'][number]) {
  return {
    id: row.id,
    refused_at: isoTime(row.refused_at),
    route: row.route,
    // A call with an inactive link is logged too, although its reply is not an error.
    status: Object.hasOwn(ERRORS, row.code) ? ERRORS[row.code as ErrorCode].status : 200,
    code: row.code,
    reason: row.reason,
    request_id: row.request_id,
    has_token: row.has_token === 1,
    body: JSON.parse(row.body) as RequestExcerpt,
  };
}

/**
 * Returns the `onRejected` callback of a tracking route. The callback adds the rejected call to the log of the
 * program.
 */
export function reportRefusal(refusals: RefusalLog, name: TrackingRouteName) {
  return (call: RejectedCall, { code, message }: Rejection): void =>
    addRefusal(refusals, name, call, { code, message });
}

/** Adds a rejected call to the log of its program. A call without a known program is not logged. */
export function addRefusal(
  refusals: RefusalLog,
  name: TrackingRouteName,
  { caller, body, requestId }: RejectedCall,
  { code, message: reason }: { readonly code: string; readonly message: string },
): void {
  // Only tracking routes log refusals. On these routes, `caller` is null, a rejection, or the program to which the
  // token belongs.
  const tokenProgram = caller === null || isRejection(caller) ? null : (caller as ProgramAccount);
  const target = tokenProgram ? { programId: tokenProgram.id } : findTarget(name, body);
  if (!target) return;
  const hasToken = tokenProgram !== null;
  const readBody = () => excerptOf(name, body);
  refusals.add({ route: name, target, hasToken, code, reason, requestId, readBody });
}

/** Finds the program id or partner code in a call without a valid token. */
function findTarget(name: TrackingRouteName, body: BodyFields): RefusedCall['target'] | null {
  const additionalData = body['additional_data'];
  const named =
    typeof additionalData === 'object' && additionalData !== null && 'program_id' in additionalData
      ? additionalData.program_id
      : undefined;
  const { affiliate_url: url, click_id: clickId } = body;
  const programId =
    parseRowId(String(named)) ?? (typeof clickId === 'string' ? programOfClickId(clickId) : null);
  if (programId !== null) return { programId };
  if (name !== 'click' || typeof url !== 'string') return null;
  const partnerCode = readPartnerCode(url);
  return isRejection(partnerCode) || !partnerCode.isWellFormed() ? null : { partnerCode };
}
