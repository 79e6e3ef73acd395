import { hash } from 'node:crypto';
import { makeClickId } from '../domain/click-id.ts';
import { hashEmail } from '../domain/email.ts';
import type { Transaction } from '../storage/database/engine/engine.ts';
import { findLinkByCode, listLinksOfPartners } from '../storage/programs/links.ts';
import { findEnrolledPartnerByEmail } from '../storage/programs/partners.ts';
import { addCounters, addDailyTotals } from '../storage/tracking/counters.ts';
import { type CustomerRow, insertCustomer, lockNamedCustomers } from '../storage/tracking/customers.ts';
import { insertLeads } from '../storage/tracking/leads.ts';
import { addTraceNote } from '../storage/tracking/outbox.ts';
import type { HistoryScope } from './history-scope.ts';
import type { PastCustomer, PastRecordOutcome } from './past-records.ts';

/** Records a customer and, if the time of the sign-up is known, the lead. */
export async function recordPastCustomer(
  tx: Transaction,
  scope: HistoryScope,
  customer: PastCustomer,
): Promise<PastRecordOutcome> {
  const found = await ensurePastCustomer(tx, scope, customer);
  if (typeof found === 'string') return { outcome: 'skipped', reason: found };
  return { outcome: found.isNew ? 'imported' : 'existing', note: null };
}

/**
 * Finds the customer by the reference or the key, or records a new customer.
 * @returns the customer, or the reason why it cannot be recorded
 */
export async function ensurePastCustomer(
  tx: Transaction,
  scope: HistoryScope,
  given: PastCustomer,
): Promise<{ readonly customer: CustomerRow; readonly isNew: boolean } | string> {
  const { program, formerProgramIds, runtime } = scope;
  const clickIdOf = (programId: number) => pastClickId(programId, `${scope.source}:${given.ref}`);
  const clickId = clickIdOf(program.id);
  const clickIds = [clickId, ...formerProgramIds.map(clickIdOf)];
  const known = await lockNamedCustomers(
    tx,
    clickIds.map((one) => ({ programId: program.id, clickId: one, customerKey: given.key ?? undefined })),
  );
  const existing = known.find((row) => clickIds.includes(row.click_id)) ?? known[0];
  if (existing) return { customer: existing, isNew: false };
  const partner = await findEnrolledPartnerByEmail(tx.db, program, given.partnerEmail);
  if (partner === null) return unknownPartner(given.partnerEmail);
  const linkId = await chooseLink(tx, program.id, partner.id, given.code);
  if (linkId === null) return `The partner ${given.partnerEmail} has no link`;
  const now = runtime.now();
  const email = given.email === null ? null : hashEmail(given.email);
  const { signupAt } = given;
  const customer = await insertCustomer(tx, {
    program_id: program.id,
    click_id: clickId,
    partner_id: partner.id,
    link_id: linkId,
    status: signupAt === null ? 'click' : 'lead',
    customer_key: given.key,
    key_state: given.key === null ? null : 'verified',
    email_hash: email?.hash ?? null,
    email_masked: email?.masked ?? null,
    signup_at: signupAt,
    first_purchase_at: null,
    last_click_at: signupAt ?? now,
    created_at: now,
  });
  await addTraceNote(tx, {
    programId: program.id,
    customerId: customer.id,
    saleId: null,
    reason: 'customer_imported',
    detail: `${scope.sourceTitle} ${given.ref}`,
    now,
  });
  if (signupAt !== null) await recordPastLead(tx, customer, partner.id, signupAt, now);
  return { customer, isNew: true };
}

export function unknownPartner(email: string): string {
  return `The partner ${email} is not in the program. Add the row of the partner to the partners file`;
}

/**
 * The click id of an imported customer. It depends only on the program and the reference, so that a repeated
 * import finds the customer. The time in the click id is 0, because no click was recorded.
 */
function pastClickId(programId: number, ref: string): string {
  return makeClickId(programId, 0, (count) => hash('sha256', ref, 'buffer').subarray(0, count));
}

/** Returns the partner's link with the code, or else the partner's first link. */
async function chooseLink(
  tx: Transaction,
  programId: number,
  partnerId: number,
  code: string | null,
): Promise<number | null> {
  const link = code === null ? null : await findLinkByCode(tx.db, code);
  if (link?.partnerId === partnerId && link.programId === programId) return link.id;
  const [first] = await listLinksOfPartners(tx.db, programId, [partnerId]);
  return first?.id ?? null;
}

async function recordPastLead(
  tx: Transaction,
  customer: CustomerRow,
  partnerId: number,
  at: number,
  now: number,
): Promise<void> {
  const { program_id: programId } = customer;
  await insertLeads(tx, [
    {
      program_id: programId,
      customer_id: customer.id,
      partner_id: partnerId,
      click_id: customer.click_id,
      customer_key: customer.customer_key,
      session_id: null,
      page_url: null,
      event_name: null,
      source: 'server',
      is_test: 0,
      lead_at: at,
      created_at: now,
    },
  ]);
  await addCounters(tx, [
    { programId, subject: 'partner', subjectId: partnerId, measure: 'leads', value: 1, at },
  ]);
  const day = { programId, partnerId, at, value: 1 };
  await addDailyTotals(tx, [
    { ...day, measure: 'leads' },
    { ...day, measure: 'signups' },
  ]);
}
