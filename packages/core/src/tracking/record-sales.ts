import { type Resolution, resolveByToken } from '../domain/attribution.ts';
import { DEFAULT_CURRENCY } from '../domain/money.ts';
import { decideOccurredAt } from '../domain/occurred-at.ts';
import { isRejection, Rejection } from '../rejection.ts';
import type { Runtime } from '../runtime.ts';
import type { Transaction } from '../storage/database/engine/engine.ts';
import { lockPrograms, type ProgramAccount } from '../storage/programs/programs.ts';
import { closeReferences } from '../storage/stripe/processor-refs.ts';
import { type CustomerRow, loadForeignClicks, loadNamedCustomers } from '../storage/tracking/customers.ts';
import { loadStandings, loadTaken, loadTied } from '../storage/tracking/sale-facts.ts';
import type { SaleKey } from '../storage/tracking/sales.ts';
import { CustomerBook } from './customer-book.ts';
import { describeDuplicate } from './duplicate-sale.ts';
import { type EarningSale, findEarnings } from './make-commission.ts';
import { attachReferences, settleParkedRefunds } from './payment-references.ts';
import { fingerprintOf, type SaleInput, type SaleOutcome } from './sale.ts';
import { saveSales } from './save-sales.ts';

export interface SaleRequest {
  /** As it was when the token was looked at. */
  readonly program: ProgramAccount;
  readonly sale: SaleInput;
}

/** A sale on its way, with what its own words come to. */
interface Candidate {
  readonly index: number;
  readonly sale: SaleInput;
  readonly program: ProgramAccount;
  readonly saleAt: number;
  readonly fingerprint: string;
  /** All ids of the payment, its own first. */
  readonly refs: readonly string[];
  readonly isTied: boolean;
}

type Verdict =
  /** What it names is in the hands of one before it: it is looked at again when that one is stored. */
  | { readonly kind: 'later' }
  | { readonly kind: 'refused'; readonly rejection: Rejection }
  | { readonly kind: 'taken'; readonly taken: SaleKey }
  | { readonly kind: 'unattributed' }
  | { readonly kind: 'attributed'; readonly attributed: Attributed };

interface Attributed extends Candidate {
  readonly resolution: Resolution<CustomerRow>;
  readonly earningSale: EarningSale;
}

interface Facts {
  readonly book: CustomerBook;
  taken(candidate: Candidate): SaleKey | null;
  standing(programId: number, partnerId: number): string | null;
}

/**
 * Records payments, each once, with commission, ledger entries, balances and totals: load what all of them need,
 * decide one after the other, save. What depends on another of the batch is left for a next round.
 * @returns an outcome for each, in their order
 * @throws TakenMeanwhile when another process takes one of their ids at the same time: the transaction has to be run
 *   again
 */
export async function recordSales(
  tx: Transaction,
  runtime: Runtime,
  requests: readonly SaleRequest[],
): Promise<SaleOutcome[]> {
  const outcomes = new Map<number, SaleOutcome>();
  let open = await prepare(tx, runtime, requests, outcomes);
  while (open.length > 0) open = await recordRound(tx, runtime, open, outcomes);
  return requests.map((_, index) => {
    const outcome = outcomes.get(index);
    if (!outcome) throw new Error('A sale of the batch has no outcome');
    return outcome;
  });
}

/** Settles those that need no look at the database but for their program, which is held from here on. */
async function prepare(
  tx: Transaction,
  runtime: Runtime,
  requests: readonly SaleRequest[],
  outcomes: Map<number, SaleOutcome>,
): Promise<Candidate[]> {
  const now = runtime.now();
  // The token was in force when it was looked at; the program may be another by now, or gone.
  const programs = await lockPrograms(
    tx,
    requests.map(({ program }) => program.id),
  );
  const named = requests.map(({ program, sale }) => ({
    workspaceId: program.workspaceId,
    refs: [sale.transaction_id, ...(sale.processor_refs ?? [])],
  }));
  const isTied = await loadTied(tx, named);
  const candidates: Candidate[] = [];
  for (const [index, { program: account, sale }] of requests.entries()) {
    const saleAt = decideOccurredAt(sale.occurred_at, now);
    const program = programs.get(account.id);
    if (isRejection(saleAt)) outcomes.set(index, saleAt);
    else if (!program) outcomes.set(index, new Rejection('token_invalid'));
    else {
      const refs = named[index]?.refs ?? [];
      const ties = isTied(program.workspaceId, refs)
        ? await closeReferences(tx.db, program.workspaceId, refs)
        : { refs: [...new Set(refs)], isTied: false };
      candidates.push({ index, sale, program, saleAt, fingerprint: fingerprintOf(sale), ...ties });
    }
  }
  return candidates;
}

/** @returns those that have to wait for others of this round */
async function recordRound(
  tx: Transaction,
  runtime: Runtime,
  candidates: readonly Candidate[],
  outcomes: Map<number, SaleOutcome>,
): Promise<Candidate[]> {
  const facts = await loadFacts(tx, candidates);
  const hand: RoundClaims = { payments: new Set(), changed: new Set(), touched: new Set() };
  const later: Candidate[] = [];
  const unattributed: Candidate[] = [];
  const attributed: Attributed[] = [];
  for (const candidate of candidates) {
    const verdict = decide(candidate, facts, hand);
    if (verdict.kind === 'later') later.push(candidate);
    else if (verdict.kind === 'refused') outcomes.set(candidate.index, verdict.rejection);
    else if (verdict.kind === 'attributed') attributed.push(verdict.attributed);
    else if (verdict.kind === 'taken')
      outcomes.set(candidate.index, await answerTaken(tx, runtime, candidate, verdict.taken));
    else unattributed.push(candidate);
  }
  await answerUnattributed(tx, unattributed, outcomes);
  await save(tx, runtime, attributed, facts.book, outcomes);
  return later;
}

async function loadFacts(tx: Transaction, candidates: readonly Candidate[]): Promise<Facts> {
  const taken = await loadTaken(
    tx,
    candidates.map(({ program, sale, refs }) => ({
      workspaceId: program.workspaceId,
      transactionId: sale.transaction_id,
      refs,
    })),
  );
  const customers = await loadNamedCustomers(
    tx,
    candidates.map(({ program, sale }) => ({
      programId: program.id,
      customerKey: sale.customer_key,
      clickId: sale.click_id,
    })),
  );
  return {
    book: new CustomerBook(customers),
    taken: ({ program, sale, refs }) => taken(program.workspaceId, sale.transaction_id, refs),
    standing: await loadStandings(tx, customers),
  };
}

/** What the sales of a round have in hand already. */
interface RoundClaims {
  readonly payments: Set<string>;
  /** Customers that a sale before leaves with another key, or with a subscription that may have begun. */
  readonly changed: Set<string>;
  readonly touched: Set<string>;
}

function decide(
  candidate: Candidate,
  { book, taken: findTaken, standing }: Facts,
  hand: RoundClaims,
): Verdict {
  const { program, sale, saleAt } = candidate;
  const byKey = book.findByKey(program.id, sale.customer_key);
  const byClick = book.findByClick(program.id, sale.click_id);
  const payments = paymentNames(candidate);
  const customers = customerNames(candidate, [byKey, byClick]);
  const take = (changes: boolean) => {
    for (const name of payments) hand.payments.add(name);
    for (const name of customers) {
      hand.touched.add(name);
      if (changes) hand.changed.add(name);
    }
  };
  // Nobody who names the same may overtake one that waits.
  const wait = (): Verdict => {
    take(true);
    return { kind: 'later' };
  };
  if (payments.some((name) => hand.payments.has(name))) return wait();
  const taken = findTaken(candidate);
  if (taken) {
    // It may be given further ids of its payment.
    if (candidate.refs.length > 1) for (const name of payments) hand.payments.add(name);
    return { kind: 'taken', taken };
  }
  if (customers.some((name) => hand.changed.has(name))) return wait();
  const resolution = resolveByToken(sale.customer_key, byKey, byClick);
  if (!resolution) return { kind: 'unattributed' };
  const { customer } = resolution;
  const { partner_id: partnerId } = customer;
  if (partnerId === null) return { kind: 'refused', rejection: new Rejection('partner_required') };
  if (standing(program.id, partnerId) !== 'approved') {
    return { kind: 'refused', rejection: new Rejection('no_partner_program') };
  }
  const changes = resolution.storesKey || resolution.displaced !== null || sale.subscription_id !== undefined;
  if (changes && customers.some((name) => hand.touched.has(name))) return wait();
  take(changes);
  book.settleKey(resolution, sale.customer_key, 'verified');
  book.change(customer, {
    status: 'conversion',
    first_purchase_at: customer.first_purchase_at ?? saleAt,
  });
  const earningSale = toEarningSale(candidate, customer, partnerId);
  return { kind: 'attributed', attributed: { ...candidate, resolution, earningSale } };
}

function paymentNames({ program, sale, refs }: Candidate): string[] {
  return [
    `transaction ${sale.transaction_id}`,
    ...refs.map((ref) => `payment ${program.workspaceId} ${ref}`),
  ];
}

function customerNames({ program, sale }: Candidate, customers: readonly (CustomerRow | null)[]): string[] {
  return [
    ...(sale.customer_key === undefined ? [] : [`key ${program.id} ${sale.customer_key}`]),
    ...(sale.click_id === undefined ? [] : [`click ${program.id} ${sale.click_id}`]),
    ...customers.flatMap((row) => (row ? [customerName(row)] : [])),
  ];
}

function customerName(row: CustomerRow): string {
  return `customer ${row.program_id} ${row.id}`;
}

async function answerTaken(
  tx: Transaction,
  runtime: Runtime,
  candidate: Candidate,
  taken: SaleKey,
): Promise<Rejection> {
  const { program, refs } = candidate;
  const isOwn = taken.programId === program.id;
  if (isOwn && refs.length > 1) await attachReferences(tx, runtime, program.workspaceId, taken, refs);
  return await describeDuplicate(tx, candidate, taken);
}

async function answerUnattributed(
  tx: Transaction,
  candidates: readonly Candidate[],
  outcomes: Map<number, SaleOutcome>,
): Promise<void> {
  const isForeign = await loadForeignClicks(
    tx,
    candidates.map(({ program, sale }) => ({ programId: program.id, clickId: sale.click_id })),
  );
  for (const { index, program, sale } of candidates) {
    const isElsewhere = isForeign(program.id, sale.click_id);
    outcomes.set(index, new Rejection(isElsewhere ? 'no_affiliate_attribution' : 'sale_customer_not_found'));
  }
}

async function save(
  tx: Transaction,
  runtime: Runtime,
  attributed: readonly Attributed[],
  book: CustomerBook,
  outcomes: Map<number, SaleOutcome>,
): Promise<void> {
  if (attributed.length === 0) return;
  const recorded = await saveSales(tx, runtime, await findEarnings(tx, attributed), book.changes());
  for (const [position, { index, program, refs, isTied }] of attributed.entries()) {
    const outcome = recorded[position];
    if (!outcome) throw new Error('A saved sale has no outcome');
    outcomes.set(index, outcome);
    if (!isTied) continue;
    const taken = { programId: program.id, saleId: outcome.saleId };
    await settleParkedRefunds(tx, runtime, program.workspaceId, taken, refs);
  }
}

function toEarningSale(
  { sale, saleAt }: Candidate,
  { id, last_click_at }: CustomerRow,
  partnerId: number,
): EarningSale {
  return {
    amountCents: sale.amount_cents,
    currency: sale.currency ?? DEFAULT_CURRENCY,
    productId: sale.product_id ?? null,
    subscriptionId: sale.subscription_id ?? null,
    saleAt,
    customerId: id,
    partnerId,
    lastClickAt: last_click_at,
  };
}
