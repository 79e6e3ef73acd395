import { type CustomerStatus, type Resolution, resolveByToken } from '../domain/attribution.ts';
import { isoTime } from '../domain/calendar.ts';
import { hashEmail } from '../domain/email.ts';
import { Rejection } from '../rejection.ts';
import type { Transaction } from '../storage/database/engine/engine.ts';
import { lockProgramsShared } from '../storage/programs/programs.ts';
import {
  addCounters,
  addDailyTotals,
  type CounterDelta,
  changedDaysOf,
  type DailyDelta,
} from '../storage/tracking/counters.ts';
import {
  type CustomerRow,
  loadForeignClicks,
  lockNamedCustomers,
  updateCustomers,
} from '../storage/tracking/customers.ts';
import { insertLeads } from '../storage/tracking/leads.ts';
import { addTraceNotes, type TraceNote } from '../storage/tracking/outbox.ts';
import { isSubscribed, type Publisher, publishEvents } from '../webhooks/publish-events.ts';
import { BatchCustomers } from './batch-customers.ts';
import { checkBrowserLead } from './browser-lead.ts';
import { endReviewsOfConfirmedKeys } from './end-reviews-of-confirmed-keys.ts';
import { type LeadOutcome, type LeadRequest, leadColumnsOf } from './lead.ts';
import { saveTotals, type TotalsRetry } from './save-totals.ts';
import { unknownCustomerRejection } from './unknown-customer.ts';

interface DecidedLead {
  readonly request: LeadRequest;
  readonly customer: CustomerRow;
}

/** The decisions about a batch so far. They have not been stored yet. */
interface LeadBatchDraft {
  readonly customers: BatchCustomers;
  readonly leads: DecidedLead[];
  readonly notes: TraceNote[];
}

/**
 * Records a batch of leads in one transaction. It loads the data for all leads, processes the leads in order,
 * and stores the results. Each lead sees the changes by earlier leads, as if the leads were recorded one by
 * one.
 * @param retry null if a failed update of the totals must fail the batch
 * @returns an outcome for each request, in order
 * @throws UniqueConflict when another process takes one of the customer keys concurrently; run the
 * transaction again
 */
export async function recordLeads(
  tx: Transaction,
  requests: readonly LeadRequest[],
  retry: TotalsRetry | null,
): Promise<LeadOutcome[]> {
  // The program may have been deleted, or may have disabled browser leads, since the request arrived.
  const programs = await lockProgramsShared(
    tx,
    requests.map(({ program }) => program.id),
  );
  const names = requests.map(({ program, lead }) => ({
    programId: program.id,
    customerKey: lead.customer_key,
    clickId: lead.click_id,
  }));
  const isForeign = await loadForeignClicks(tx, names);
  const now = requests.reduce((latest, request) => Math.max(latest, request.now), 0);
  const draft: LeadBatchDraft = {
    customers: new BatchCustomers(await lockNamedCustomers(tx, names)),
    leads: [],
    notes: [],
  };
  const outcomes = requests.map((request) => {
    const { lead, reporter } = request;
    const program = programs.get(request.program.id);
    if (!program) {
      return new Rejection(reporter.mode === 'server' ? 'token_invalid' : 'lead_customer_not_found');
    }
    const rejection = reporter.mode === 'browser' ? checkBrowserLead(program, lead, reporter) : null;
    if (rejection) return rejection;
    if (isForeign(program.id, lead.click_id)) return new Rejection('customer_of_other_program');
    return decideLead(request, draft);
  });
  await saveLeads(tx, draft, now, retry);
  await publishLeads(tx, draft.leads, programs, now);
  return outcomes;
}

function decideLead(request: LeadRequest, draft: LeadBatchDraft): LeadOutcome {
  const resolution = resolveLead(request, draft.customers);
  if (!resolution) return unknownCustomerRejection('lead_customer_not_found', request.lead);
  const { customer, storesKey } = resolution;
  if (customer.status === 'click') {
    applyKey(request, resolution, draft);
    const email = request.lead.email === undefined ? null : hashEmail(request.lead.email);
    draft.customers.change(customer, {
      status: 'lead',
      signup_at: request.at,
      ...(email && { email_hash: email.hash, email_masked: email.masked }),
    });
    draft.leads.push({ request, customer });
    return { kind: 'recorded' };
  }
  // Apply the key even if the lead is already recorded. Otherwise, a key that a partner has set in a browser would
  // never be corrected, and a visitor whose first lead had no key could not be found by key.
  if (storesKey) applyKey(request, resolution, draft);
  return alreadyLead(customer.status);
}

function resolveLead(
  { program, lead, reporter }: LeadRequest,
  customers: BatchCustomers,
): Resolution<CustomerRow> | null {
  const byKey = customers.findByKey(program.id, lead.customer_key);
  const byClick = customers.findByClick(program.id, lead.click_id);
  if (reporter.mode === 'server') return resolveByToken(lead.customer_key, byKey, byClick);
  // A browser must prove its visit with a click id. If it also sends the key of a customer, the lead is recorded for
  // that customer, not for the customer of the click.
  const customer = byClick && (byKey ?? byClick);
  if (!customer) return null;
  const storesKey = lead.customer_key !== undefined && customer.customer_key === null;
  return { customer, displaced: null, storesKey, note: null };
}

function alreadyLead(status: CustomerStatus): Rejection {
  return new Rejection(
    'lead_already_recorded',
    `Customer status cannot be updated to lead. Current status: ${status}`,
  );
}

/**
 * Assigns the customer key in the request to the customer. If the key belonged to another customer or was
 * ignored, a note is added to the trace.
 */
function applyKey(
  { program, lead, reporter, now }: LeadRequest,
  resolution: Resolution<CustomerRow>,
  { customers, notes }: LeadBatchDraft,
): void {
  customers.applyKey(resolution, lead.customer_key, reporter.mode === 'server' ? 'verified' : 'claimed');
  const { customer, displaced, note } = resolution;
  if (note === null) return;
  notes.push({
    programId: program.id,
    customerId: customer.id,
    saleId: null,
    reason: note,
    detail: displaced?.click_id ?? lead.click_id ?? null,
    now,
  });
}

async function saveLeads(
  tx: Transaction,
  { customers, leads, notes }: LeadBatchDraft,
  now: number,
  retry: TotalsRetry | null,
): Promise<void> {
  const changes = customers.changes();
  await updateCustomers(tx, changes);
  await endReviewsOfConfirmedKeys(tx, changes, now);
  await insertLeads(
    tx,
    leads.map(({ request, customer }) => ({
      ...leadColumnsOf(request.lead),
      program_id: customer.program_id,
      customer_id: customer.id,
      click_id: customer.click_id,
      source: request.reporter.mode,
      is_test: 0 as const,
      partner_id: customer.partner_id,
      lead_at: request.at,
      created_at: request.now,
    })),
  );
  await addTraceNotes(tx, notes);
  if (leads.length === 0) return;
  const counters = leads.flatMap(countLead);
  const totals = leads.flatMap(leadTotals);
  const write = async () => {
    await addCounters(tx, counters);
    await addDailyTotals(tx, totals);
  };
  await saveTotals(tx, { counters, days: changedDaysOf(totals), write }, retry);
}

/** @param programs the programs, as they were locked in this transaction */
async function publishLeads(
  tx: Transaction,
  leads: readonly DecidedLead[],
  programs: ReadonlyMap<number, Publisher>,
  now: number,
): Promise<void> {
  const events = leads.flatMap(({ request, customer }) => {
    const program = programs.get(customer.program_id);
    if (!program || !isSubscribed(program, 'lead.created')) return [];
    const data = {
      program_id: program.id,
      customer_id: customer.id,
      // `customer` is the row before this lead, so it lacks a key that the lead has just stored.
      customer_key: customer.customer_key ?? request.lead.customer_key ?? null,
      click_id: customer.click_id,
      partner_id: customer.partner_id,
      event_name: leadColumnsOf(request.lead).event_name ?? null,
      source: request.reporter.mode,
      lead_at: isoTime(request.at),
    };
    return [{ program, event: { type: 'lead.created' as const, data } }];
  });
  await publishEvents(tx, events, now);
}

function countLead({ request, customer }: DecidedLead): CounterDelta[] {
  const { program_id: programId, partner_id: subjectId } = customer;
  if (subjectId === null) return [];
  return [{ programId, subject: 'partner', subjectId, measure: 'leads', value: 1, at: request.at }];
}

function leadTotals({ request, customer }: DecidedLead): DailyDelta[] {
  const { program_id: programId, partner_id: partnerId } = customer;
  const day = { programId, partnerId, at: request.at, value: 1 };
  return [
    { ...day, measure: 'leads' },
    { ...day, measure: 'signups' },
  ];
}
