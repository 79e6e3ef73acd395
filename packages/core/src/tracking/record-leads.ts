import { type CustomerStatus, type Resolution, resolveByToken } from '../domain/attribution.ts';
import { keepEmail } from '../domain/email.ts';
import { Rejection } from '../rejection.ts';
import type { Transaction } from '../storage/database/engine/engine.ts';
import { lockPrograms } from '../storage/programs/programs.ts';
import {
  addCounters,
  addDailyTotals,
  type CounterDelta,
  type DailyDelta,
} from '../storage/tracking/counters.ts';
import {
  type CustomerRow,
  loadForeignClicks,
  loadNamedCustomers,
  updateCustomers,
} from '../storage/tracking/customers.ts';
import { insertLeads } from '../storage/tracking/leads.ts';
import { addTraceNotes, type TraceNote } from '../storage/tracking/outbox.ts';
import { BatchCustomers } from './customer-book.ts';
import { describeLead, type LeadOutcome, type LeadRequest, refuseBrowser } from './lead.ts';

/** What a batch has come to so far. */
interface Draft {
  readonly book: BatchCustomers;
  readonly leads: { readonly request: LeadRequest; readonly customer: CustomerRow }[];
  readonly notes: TraceNote[];
}

/**
 * Makes leads of the customers that signups name: load what all of them need, decide one after the other, each by what
 * those before have come to, save.
 * @returns an outcome for each, in their order
 * @throws TakenMeanwhile when another process takes one of their keys at the same time: the transaction has to be run
 *   again
 */
export async function recordLeads(tx: Transaction, requests: readonly LeadRequest[]): Promise<LeadOutcome[]> {
  // A program may be gone by now, or take no leads from browsers any more.
  const programs = await lockPrograms(
    tx,
    requests.map(({ program }) => program.id),
  );
  const names = requests.map(({ program, lead }) => ({
    programId: program.id,
    customerKey: lead.customer_key,
    clickId: lead.click_id,
  }));
  const isForeign = await loadForeignClicks(tx, names);
  const draft: Draft = {
    book: new BatchCustomers(await loadNamedCustomers(tx, names)),
    leads: [],
    notes: [],
  };
  const outcomes = requests.map((request) => {
    const { lead, reporter } = request;
    const program = programs.get(request.program.id);
    if (!program) {
      return new Rejection(reporter.mode === 'server' ? 'token_invalid' : 'lead_customer_not_found');
    }
    const refusal = reporter.mode === 'browser' ? refuseBrowser(program, lead, reporter) : null;
    if (refusal) return refusal;
    if (isForeign(program.id, lead.click_id)) return new Rejection('customer_of_other_program');
    return decideLead(request, draft);
  });
  await save(tx, draft);
  return outcomes;
}

function decideLead(request: LeadRequest, draft: Draft): LeadOutcome {
  const resolved = resolveLead(request, draft.book);
  if (!resolved) return new Rejection('lead_customer_not_found');
  const { customer, storesKey } = resolved;
  if (customer.status === 'click') {
    settleKey(request, resolved, draft);
    const email = request.lead.email === undefined ? null : keepEmail(request.lead.email);
    draft.book.change(customer, {
      status: 'lead',
      signup_at: request.at,
      ...(email && { email_hash: email.hash, email_masked: email.masked }),
    });
    draft.leads.push({ request, customer });
    return { kind: 'recorded' };
  }
  // What the advertiser's server says of a key holds also where the signup itself is known already: else a
  // partner's claim would outlast it.
  if (request.reporter.mode === 'server' && storesKey) settleKey(request, resolved, draft);
  return alreadyLead(customer.status);
}

function resolveLead(
  { program, lead, reporter }: LeadRequest,
  book: BatchCustomers,
): Resolution<CustomerRow> | null {
  const byKey = book.findByKey(program.id, lead.customer_key);
  const byClick = book.findByClick(program.id, lead.click_id);
  if (reporter.mode === 'server') return resolveByToken(lead.customer_key, byKey, byClick);
  // The click proves a browser's visit; a key that stands on another customer leads to that one.
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

/** Gives the customer the lead's key, where it is to have it, and keeps why. */
function settleKey(
  { program, lead, reporter, now }: LeadRequest,
  resolved: Resolution<CustomerRow>,
  { book, notes }: Draft,
): void {
  book.applyKey(resolved, lead.customer_key, reporter.mode === 'server' ? 'verified' : 'claimed');
  const { customer, displaced, note } = resolved;
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

async function save(tx: Transaction, { book, leads, notes }: Draft): Promise<void> {
  await updateCustomers(tx, book.changes());
  await insertLeads(
    tx,
    leads.map(({ request, customer }) => ({
      ...describeLead(request.lead),
      program_id: customer.program_id,
      customer_id: customer.id,
      click_id: customer.click_id,
      source: request.reporter.mode,
      is_test: 0 as const,
      lead_at: request.at,
      created_at: request.now,
    })),
  );
  await addCounters(
    tx,
    leads.flatMap(({ request, customer }): CounterDelta[] =>
      customer.partner_id === null
        ? []
        : [
            {
              programId: customer.program_id,
              partnerId: customer.partner_id,
              measure: 'leads',
              at: request.at,
            },
          ],
    ),
  );
  await addDailyTotals(
    tx,
    leads.flatMap(({ request, customer }): DailyDelta[] => {
      const day = {
        programId: customer.program_id,
        partnerId: customer.partner_id,
        at: request.at,
        value: 1,
      };
      return [
        { ...day, measure: 'leads' },
        { ...day, measure: 'signups' },
      ];
    }),
  );
  await addTraceNotes(tx, notes);
}
