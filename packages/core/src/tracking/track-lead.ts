import { checkOrigin } from '../domain/check-origin.ts';
import { programOfClickId } from '../domain/click-id.ts';
import { decideOccurredAt } from '../domain/occurred-at.ts';
import { isRejection, Rejection } from '../rejection.ts';
import type { Runtime } from '../runtime.ts';
import type { ProgramAccount } from '../storage/programs/programs.ts';
import { checkBrowserLead, type LeadBrowser } from './browser-lead.ts';
import { type LeadOutcome, leadColumnsOf, type ReportedLead } from './lead.ts';
import type { Recorders } from './recorders.ts';
import type { RecordedTestEvent } from './track-click.ts';
import { unknownCustomerRejection } from './unknown-customer.ts';

/** The source of a lead: the advertiser's server with its token, or a visitor's browser. */
export type LeadSource = { readonly mode: 'server'; readonly program: ProgramAccount } | LeadBrowser;

/**
 * Records the sign-up of a customer. A customer becomes a lead only once, even if several requests report it
 * concurrently.
 */
export async function trackLead(
  runtime: Runtime,
  recorder: Recorders['leads'],
  lead: ReportedLead,
  source: LeadSource,
  requestId: string,
): Promise<LeadOutcome> {
  if (lead.click_id === undefined && lead.customer_key === undefined) {
    return new Rejection('lead_identifier_required');
  }
  const now = runtime.now();
  const at = source.mode === 'server' ? decideOccurredAt(lead, now) : now;
  if (isRejection(at)) return at;
  const program = source.mode === 'server' ? source.program : await findBrowserProgram(runtime, lead, source);
  if (isRejection(program)) return program;
  return await recorder.record({ program, lead, reporter: source, at, now, requestId });
}

/** Records a lead in test mode. It is stored as a single event and changes neither customers nor counters. */
export async function trackTestLead(
  runtime: Runtime,
  recorder: Recorders['testEvents'],
  lead: ReportedLead,
  tokenProgram: ProgramAccount | null,
  browser: { readonly origin: string | undefined; readonly ownHost: string | undefined },
): Promise<RecordedTestEvent | Rejection> {
  const programId = lead.additional_data?.program_id ?? tokenProgram?.id;
  if (programId === undefined) return new Rejection('test_program_required');
  const program = await runtime.findProgram(programId);
  if (!program) return new Rejection('test_program_not_found');
  const { allowedOrigins, requireOrigin } = program;
  const rules = { allowedOrigins, requireOrigin: requireOrigin && tokenProgram === null };
  const fault = checkOrigin(browser.origin, rules, browser.ownHost);
  if (fault) return fault;
  const now = runtime.now();
  const eventId = await recorder.record({
    program,
    table: 'lead_events',
    row: {
      ...leadColumnsOf(lead),
      program_id: programId,
      customer_id: null,
      click_id: lead.click_id ?? null,
      source: tokenProgram ? 'server' : 'browser',
      is_test: 1,
      partner_id: null,
      lead_at: now,
      created_at: now,
    },
  });
  return { kind: 'test', eventId, programId };
}

/** Finds the program of a lead from a browser. A browser sends no token, but the click id contains the program's id. */
async function findBrowserProgram(
  runtime: Runtime,
  lead: ReportedLead,
  browser: LeadBrowser,
): Promise<ProgramAccount | Rejection> {
  const programId = lead.click_id === undefined ? null : programOfClickId(lead.click_id);
  const program = programId === null ? null : await runtime.findProgram(programId);
  if (!program) return unknownCustomerRejection('lead_customer_not_found', lead);
  return checkBrowserLead(program, lead, browser) ?? program;
}
