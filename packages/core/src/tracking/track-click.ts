import { checkOrigin } from '../domain/check-origin.ts';
import { makeClickId } from '../domain/click-id.ts';
import { readPartnerCode } from '../domain/partner-code.ts';
import { isRejection, Rejection } from '../rejection.ts';
import type { Runtime } from '../runtime.ts';
import { toVisitColumns } from '../storage/database/click-columns.ts';
import { findLinkByCode } from '../storage/programs/links.ts';
import type { ClickOutcome } from './record-clicks.ts';
import type { Recorders } from './recorders.ts';
import { type ClickInput, readVisit } from './visit.ts';

/** The parts of the request that are not in its body. */
export interface ClickHeaders {
  readonly userAgent: string | undefined;
  readonly origin: string | undefined;
  readonly ownHost: string | undefined;
  readonly ip: string | null;
  readonly requestId?: string | undefined;
}

export interface RecordedTestEvent {
  readonly kind: 'test';
  readonly eventId: number;
  readonly programId: number;
}

export async function trackClick(
  runtime: Runtime,
  recorders: Pick<Recorders, 'clicks' | 'testEvents'>,
  click: ClickInput,
  headers: ClickHeaders,
): Promise<ClickOutcome | RecordedTestEvent> {
  const partnerCode = readPartnerCode(click.affiliate_url);
  if (isRejection(partnerCode)) return partnerCode;
  if (click.additional_data?.test_mode === true)
    return await trackTestClick(runtime, recorders.testEvents, partnerCode, click, headers);
  return await recorders.clicks.record({
    partnerCode,
    pageProgramId: click.additional_data?.program_id,
    existingClickId: click.existing_click_id,
    idempotencyKey: click.additional_data?.idempotency_key,
    origin: headers.origin,
    ownHost: headers.ownHost,
    // Anyone can send a click. To save work, the details of the visit are parsed only when the link is known.
    readVisit: once(() => readVisit(runtime, click, headers)),
    at: runtime.now(),
    requestId: headers.requestId,
  });
}

function once<T>(read: () => T): () => T {
  let result: { readonly value: T } | undefined;
  return () => {
    result ??= { value: read() };
    return result.value;
  };
}

async function trackTestClick(
  runtime: Runtime,
  recorder: Recorders['testEvents'],
  partnerCode: string,
  click: ClickInput,
  headers: ClickHeaders,
): Promise<RecordedTestEvent | Rejection> {
  const link = await findLinkByCode(runtime.engine.read, partnerCode);
  const programId = click.additional_data?.program_id ?? link?.programId;
  if (programId === undefined) return new Rejection('test_program_required');
  const program = await runtime.findProgram(programId);
  if (!program) return new Rejection('test_program_not_found');
  const fault = checkOrigin(headers.origin, program, headers.ownHost);
  if (fault) return fault;
  const visit = readVisit(runtime, click, headers);
  const at = runtime.now();
  const clickId = makeClickId(programId, at, runtime.randomBytes);
  const ofProgram = link?.programId === programId ? link : undefined;
  const eventId = await recorder.record({
    program,
    table: 'click_events',
    row: {
      program_id: programId,
      customer_id: null,
      link_id: ofProgram?.id ?? null,
      partner_id: ofProgram?.partnerId ?? null,
      click_id: clickId,
      ...toVisitColumns(visit),
      is_test: 1,
      click_at: at,
      created_at: at,
    },
  });
  return { kind: 'test', eventId, programId };
}
