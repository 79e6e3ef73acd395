import type { trackLeadRequest } from '@affkit/protocol';
import type { z } from 'zod';
import { type CustomerStatus, resolveByToken } from '../domain/attribution.ts';
import { programOfClickId } from '../domain/click-id.ts';
import { keepEmail } from '../domain/email.ts';
import { decideOccurredAt } from '../domain/occurred-at.ts';
import { isOriginAllowed } from '../domain/origin.ts';
import { isRejection, Rejection } from '../rejection.ts';
import type { Runtime } from '../runtime.ts';
import { addCounters, addDailyTotals } from '../storage/counters.ts';
import {
  type CustomerRow,
  findNamedCustomers,
  isKnownClick,
  releaseCustomerKey,
  updateCustomer,
} from '../storage/customers.ts';
import type { Transaction } from '../storage/engine/engine.ts';
import { insertLead } from '../storage/leads.ts';
import { addTraceNote } from '../storage/outbox.ts';
import { findProgram, holdProgram, type ProgramAccount } from '../storage/programs.ts';
import { writeUnlessTaken } from '../storage/write-unless-taken.ts';
import { toKeyed } from './keyed-customer.ts';
import type { TestEvent } from './track-click.ts';
import { keepHttpUrl } from './visit.ts';

export type LeadInput = z.output<typeof trackLeadRequest>;

/** Who reports a lead: the advertiser's server, by its token, or a visitor's browser. */
export type LeadSource =
  | { readonly mode: 'server'; readonly program: ProgramAccount }
  | { readonly mode: 'browser'; readonly origin: string | undefined; readonly ownHost: string | undefined };

export interface LeadRecorded {
  readonly kind: 'recorded';
  readonly leadId: number;
  readonly customerId: number;
}

interface ResolvedLead {
  readonly customer: CustomerRow;
  readonly displaced: CustomerRow | null;
  readonly storesKey: boolean;
  readonly note: string | null;
}

/** Makes a lead of the customer that a signup names. */
export async function trackLead(
  runtime: Runtime,
  lead: LeadInput,
  source: LeadSource,
): Promise<LeadRecorded | Rejection> {
  if (lead.click_id === undefined && lead.customer_key === undefined) {
    return new Rejection('lead_identifier_required');
  }
  const now = runtime.now();
  const at = source.mode === 'server' ? decideOccurredAt(lead.occurred_at, now) : now;
  if (isRejection(at)) return at;
  const program = source.mode === 'server' ? source.program : await findBrowserProgram(runtime, lead, source);
  if (isRejection(program)) return program;

  return await writeUnlessTaken(runtime.engine, program.workspaceId, async (tx) => {
    if (!(await holdProgram(tx, program.id))) {
      return new Rejection(source.mode === 'server' ? 'token_invalid' : 'lead_customer_not_found');
    }
    const resolved = await resolveLead(tx, program, lead, source.mode);
    if (isRejection(resolved)) return resolved;
    const { customer } = resolved;
    if (customer.status === 'click')
      return await saveLead(tx, program, lead, source.mode, resolved, { at, now });
    // What the advertiser's server says of a key holds also where the signup itself is known already: else a
    // partner's claim would outlast it.
    if (source.mode === 'server' && resolved.storesKey)
      await settleKey(tx, program, lead, 'verified', resolved, now);
    return alreadyLead(customer.status);
  });
}

/** Records a lead in test mode: an event of its own, which touches nothing else. */
export async function trackTestLead(
  runtime: Runtime,
  lead: LeadInput,
  tokenProgram: ProgramAccount | null,
  browser: { readonly origin: string | undefined; readonly ownHost: string | undefined },
): Promise<TestEvent | Rejection> {
  const programId = lead.additional_data?.program_id ?? tokenProgram?.id;
  if (programId === undefined) return new Rejection('test_program_required');
  const program = await findProgram(runtime.engine.read, programId);
  if (!program) return new Rejection('test_program_not_found');
  if (!isOriginAllowed(browser.origin, program.allowedOrigins, browser.ownHost)) {
    return new Rejection('origin_not_allowed');
  }
  const now = runtime.now();
  const eventId = await runtime.engine.write(program.workspaceId, (tx) =>
    insertLead(tx, {
      ...describeLead(lead),
      program_id: programId,
      customer_id: null,
      click_id: lead.click_id ?? null,
      source: tokenProgram ? 'server' : 'browser',
      is_test: 1,
      lead_at: now,
      created_at: now,
    }),
  );
  return { kind: 'test', eventId, programId };
}

/** A browser names no program: its click id does. */
async function findBrowserProgram(
  runtime: Runtime,
  lead: LeadInput,
  source: Extract<LeadSource, { mode: 'browser' }>,
): Promise<ProgramAccount | Rejection> {
  const programId = lead.click_id === undefined ? null : programOfClickId(lead.click_id);
  const program = programId === null ? null : await findProgram(runtime.engine.read, programId);
  if (!program) return new Rejection('lead_customer_not_found');
  if (!isOriginAllowed(source.origin, program.allowedOrigins, source.ownHost)) {
    return new Rejection('origin_not_allowed');
  }
  if (program.browserLeads === 'off') return new Rejection('browser_leads_off');
  if (program.browserLeads === 'without_key' && lead.customer_key !== undefined) {
    return new Rejection('browser_key_not_allowed');
  }
  return program;
}

async function resolveLead(
  tx: Transaction,
  program: ProgramAccount,
  lead: LeadInput,
  mode: LeadSource['mode'],
): Promise<ResolvedLead | Rejection> {
  const clickProgramId = lead.click_id === undefined ? null : programOfClickId(lead.click_id);
  if (lead.click_id !== undefined && clickProgramId !== null && clickProgramId !== program.id) {
    if (await isKnownClick(tx, clickProgramId, lead.click_id))
      return new Rejection('customer_of_other_program');
  }
  const { byKey, byClick } = await findNamedCustomers(tx, program.id, {
    customerKey: lead.customer_key,
    clickId: lead.click_id,
  });
  if (mode === 'server') {
    const resolution = resolveByToken(lead.customer_key, toKeyed(byKey), toKeyed(byClick));
    return resolution
      ? {
          customer: resolution.customer.row,
          displaced: resolution.displaced?.row ?? null,
          storesKey: resolution.storesKey,
          note: resolution.note,
        }
      : new Rejection('lead_customer_not_found');
  }
  // The click proves a browser's visit; a key that stands on another customer leads to that one.
  const customer = byClick && byKey ? byKey : byClick;
  if (!customer) return new Rejection('lead_customer_not_found');
  const storesKey = lead.customer_key !== undefined && customer.customer_key === null;
  return { customer, displaced: null, storesKey, note: null };
}

function alreadyLead(status: CustomerStatus): Rejection {
  return new Rejection(
    'lead_already_recorded',
    `Customer status cannot be updated to lead. Current status: ${status}`,
  );
}

async function saveLead(
  tx: Transaction,
  program: ProgramAccount,
  lead: LeadInput,
  mode: LeadSource['mode'],
  resolved: ResolvedLead,
  time: { at: number; now: number },
): Promise<LeadRecorded> {
  const { customer } = resolved;
  const email = lead.email === undefined ? null : keepEmail(lead.email);
  await settleKey(tx, program, lead, mode === 'server' ? 'verified' : 'claimed', resolved, time.now);
  await updateCustomer(tx, customer, {
    status: 'lead',
    signup_at: time.at,
    ...(email && { email_hash: email.hash, email_masked: email.masked }),
  });
  const leadId = await insertLead(tx, {
    ...describeLead(lead),
    program_id: program.id,
    customer_id: customer.id,
    click_id: customer.click_id,
    source: mode,
    is_test: 0,
    lead_at: time.at,
    created_at: time.now,
  });
  const partnerId = customer.partner_id;
  if (partnerId !== null) {
    await addCounters(tx, [{ programId: program.id, partnerId, measure: 'leads', at: time.at }]);
  }
  const day = { programId: program.id, partnerId, at: time.at, value: 1 };
  await addDailyTotals(tx, [
    { ...day, measure: 'leads' },
    { ...day, measure: 'signups' },
  ]);
  return { kind: 'recorded', leadId, customerId: customer.id };
}

/** Gives the customer the lead's key, where it is to have it, and keeps why. */
async function settleKey(
  tx: Transaction,
  program: ProgramAccount,
  lead: LeadInput,
  state: 'claimed' | 'verified',
  { customer, displaced, storesKey, note }: ResolvedLead,
  now: number,
): Promise<void> {
  if (displaced) await releaseCustomerKey(tx, displaced);
  if (storesKey) {
    const customer_key = lead.customer_key ?? customer.customer_key;
    await updateCustomer(tx, customer, { customer_key, key_state: state });
  }
  if (note) {
    await addTraceNote(tx, {
      programId: program.id,
      customerId: customer.id,
      saleId: null,
      reason: note,
      detail: displaced?.click_id ?? lead.click_id ?? null,
      now,
    });
  }
}

function describeLead(lead: LeadInput) {
  return {
    customer_key: lead.customer_key ?? null,
    session_id: lead.session_id ?? null,
    page_url: keepHttpUrl(lead.page_url),
    event_name: lead.additional_data?.event_name ?? null,
  };
}
