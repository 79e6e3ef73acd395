import { checkAmounts } from '../domain/commission-base.ts';
import { decideOccurredAt } from '../domain/occurred-at.ts';
import { isSubscription } from '../domain/processor-ref.ts';
import { isRejection, Rejection } from '../rejection.ts';
import type { Runtime } from '../runtime.ts';
import type { Transaction } from '../storage/database/engine/engine.ts';
import { lockProgramsShared, type ProgramAccount } from '../storage/programs/programs.ts';
import { findAllPaymentIds } from '../storage/stripe/processor-refs.ts';
import { loadForeignClicks, lockNamedCustomers } from '../storage/tracking/customers.ts';
import {
  loadCustomersOfSales,
  loadEnrollmentStatuses,
  loadIdsKnownToProcessor,
  loadRecordedSales,
} from '../storage/tracking/sale-lookups.ts';
import type { SaleKey } from '../storage/tracking/sales.ts';
import { decideCommission } from './decide-commission.ts';
import { decideRound, type SaleCandidate, type SaleFacts } from './decide-sales.ts';
import { describeDuplicate } from './duplicate-sale.ts';
import { decideLateRenewals, linkSubscription } from './late-renewals.ts';
import { loadCommissionRules } from './load-commission-rules.ts';
import { mergeSales } from './merge-sales.ts';
import { applyParkedEvents, attachReferences } from './payment-references.ts';
import { type ReportedSale, type SaleOutcome, saleAmountsOf, saleFingerprintOf } from './sale.ts';
import { type DecidedSale, saveSales } from './save-sales.ts';
import type { TotalsRetry } from './save-totals.ts';
import { unknownCustomerRejection } from './unknown-customer.ts';

export interface SaleRequest {
  /** The program, as it was when the token was checked. */
  readonly program: ProgramAccount;
  readonly sale: ReportedSale;
  readonly requestId?: string | undefined;
}

type SaleOutcomes = Map<number, SaleOutcome>;

/**
 * Records each payment once, with its commission, ledger entries, balances and totals. A sale that depends on
 * another sale of the batch is decided in a later round of the same transaction.
 * @param retry null if a failed update of the totals must fail the batch
 * @returns an outcome for each request, in order
 * @throws UniqueConflict when another process takes one of the ids concurrently; run the transaction again
 */
export async function recordSales(
  tx: Transaction,
  runtime: Runtime,
  requests: readonly SaleRequest[],
  retry: TotalsRetry | null,
): Promise<SaleOutcome[]> {
  const outcomes: SaleOutcomes = new Map();
  let candidates: readonly SaleCandidate[] = await loadCandidates(tx, runtime, requests, outcomes);
  while (candidates.length > 0) candidates = await recordRound(tx, runtime, candidates, outcomes, retry);
  return requests.map((_, index) => {
    const outcome = outcomes.get(index);
    if (!outcome) throw new Error('A sale of the batch has no outcome');
    return outcome;
  });
}

/**
 * Records a single payment; see `recordSales`. The payment is recorded even if the daily totals cannot
 * be updated.
 * @throws UniqueConflict
 */
export async function recordSale(
  tx: Transaction,
  runtime: Runtime,
  program: ProgramAccount,
  sale: ReportedSale,
): Promise<SaleOutcome> {
  const [outcome] = await recordSales(tx, runtime, [{ program, sale }], {
    log: runtime.log,
    now: runtime.now(),
  });
  if (!outcome) throw new Error('The sale has no outcome');
  return outcome;
}

/**
 * Locks the programs, rejects sales that are not valid, and loads all known payment ids of the valid sales.
 */
async function loadCandidates(
  tx: Transaction,
  runtime: Runtime,
  requests: readonly SaleRequest[],
  outcomes: SaleOutcomes,
): Promise<SaleCandidate[]> {
  const now = runtime.now();
  // The program may have been changed or deleted after the token was checked.
  const programs = await lockProgramsShared(
    tx,
    requests.map(({ program }) => program.id),
  );
  const payments = requests.map(({ program, sale }) => ({
    workspaceId: program.workspaceId,
    refs: [sale.transaction_id, ...(sale.processor_refs ?? [])],
  }));
  const isKnownToProcessor = await loadIdsKnownToProcessor(tx, payments);
  const candidates: SaleCandidate[] = [];
  for (const [index, { program: account, sale }] of requests.entries()) {
    const saleAt = decideOccurredAt(sale, now);
    const program = programs.get(account.id);
    const fault = checkAmounts(saleAmountsOf(sale));
    if (isRejection(saleAt)) outcomes.set(index, saleAt);
    else if (fault) outcomes.set(index, fault);
    else if (!program) outcomes.set(index, new Rejection('token_invalid'));
    else {
      const refs = payments[index]?.refs ?? [];
      const connected = isKnownToProcessor(program.workspaceId, refs)
        ? await findAllPaymentIds(tx, program.workspaceId, refs, now)
        : { refs: [...new Set(refs)], isKnownToProcessor: false };
      candidates.push({ index, sale, program, saleAt, fingerprint: saleFingerprintOf(sale), ...connected });
    }
  }
  return candidates;
}

/** Records one round of sales. @returns the sales that depend on other sales of this round */
async function recordRound(
  tx: Transaction,
  runtime: Runtime,
  candidates: readonly SaleCandidate[],
  outcomes: SaleOutcomes,
  retry: TotalsRetry | null,
): Promise<readonly SaleCandidate[]> {
  const facts = await loadFacts(tx, runtime, candidates);
  const round = decideRound(candidates, facts);
  for (const { candidate, rejection } of round.rejected) outcomes.set(candidate.index, rejection);
  for (const { candidate, recorded } of round.duplicates) {
    outcomes.set(candidate.index, await mergeDuplicate(tx, runtime, candidate, recorded));
  }
  await rejectUnattributed(tx, round.unattributed, outcomes);
  if (round.attributed.length === 0) return round.postponed;

  const rulesOf = await loadCommissionRules(tx, round.attributed);
  const decided = round.attributed.map((sale) => ({
    ...sale,
    decision: decideCommission(sale.program, sale.basis, rulesOf(sale)),
  }));
  const savedSales = await saveSales(tx, runtime, decided, round.customerChanges, retry);
  for (const { sale, outcome } of savedSales) {
    outcomes.set(sale.index, outcome);
    await decideRenewalsOf(tx, runtime, sale);
    if (sale.isKnownToProcessor) {
      const key = { programId: sale.program.id, saleId: outcome.saleId };
      await applyParkedEvents(tx, runtime, sale.program.workspaceId, key, sale.refs);
    }
  }
  return round.postponed;
}

/**
 * If the sale has earned the first commission of a subscription, decides again about renewals of this
 * subscription that were reported before the sale.
 */
async function decideRenewalsOf(
  tx: Transaction,
  runtime: Runtime,
  { program, basis, decision, refs }: DecidedSale,
): Promise<void> {
  if (decision.kind !== 'commission' || decision.plan.firstCommissionId !== null) return;
  const { customerId, subscriptionId } = basis;
  const subscriptions = new Set([
    ...(subscriptionId === null ? [] : [subscriptionId]),
    ...refs.filter(isSubscription),
  ]);
  for (const id of subscriptions) await decideLateRenewals(tx, runtime, program, customerId, id);
}

async function loadFacts(
  tx: Transaction,
  runtime: Runtime,
  candidates: readonly SaleCandidate[],
): Promise<SaleFacts> {
  const recorded = await loadRecordedSales(
    tx,
    candidates.map(({ program, sale, refs }) => ({
      workspaceId: program.workspaceId,
      transactionId: sale.transaction_id,
      refs,
    })),
    runtime.transactionIds,
  );
  const customers = await lockNamedCustomers(
    tx,
    candidates.map(({ program, sale }) => ({
      programId: program.id,
      customerKey: sale.customer_key,
      clickId: sale.click_id,
    })),
  );
  const listOwnSales = ({ program, sale, refs }: SaleCandidate) =>
    recorded
      .list(program.workspaceId, [sale.transaction_id, ...refs])
      .filter(({ programId }) => programId === program.id);
  const customerOf = await loadCustomersOfSales(tx, candidates.flatMap(listOwnSales));
  return {
    customers,
    findRecorded: ({ program, sale, refs }) => recorded.find(program.workspaceId, sale.transaction_id, refs),
    listOwnSales: (candidate) =>
      listOwnSales(candidate).map((key) => ({ ...key, customerId: customerOf(key) })),
    enrollmentStatus: await loadEnrollmentStatuses(tx, customers),
  };
}

/**
 * If the recorded sale belongs to the same program, adds the subscription and the payment ids of the repeated
 * sale to it. Also merges it with the program's other sales that have one of these ids.
 * @returns the rejection of the repeated sale
 */
async function mergeDuplicate(
  tx: Transaction,
  runtime: Runtime,
  candidate: SaleCandidate,
  recorded: SaleKey,
): Promise<Rejection> {
  const { program, sale, refs } = candidate;
  const isOwn = recorded.programId === program.id;
  const { subscription_id } = sale;
  if (isOwn && subscription_id !== undefined)
    await linkSubscription(tx, runtime, program, recorded, subscription_id);
  if (!isOwn || refs.length <= 1) return await describeDuplicate(tx, candidate, recorded);
  // Merge only sales of this program, because a request must not change the commissions of another program.
  const kept = (await mergeSales(tx, runtime, program.workspaceId, refs, program.id)) ?? recorded;
  await attachReferences(tx, runtime, program.workspaceId, kept, refs);
  for (const id of refs.filter(isSubscription)) await linkSubscription(tx, runtime, program, kept, id);
  return await describeDuplicate(tx, candidate, kept);
}

async function rejectUnattributed(
  tx: Transaction,
  candidates: readonly SaleCandidate[],
  outcomes: SaleOutcomes,
): Promise<void> {
  const isForeign = await loadForeignClicks(
    tx,
    candidates.map(({ program, sale }) => ({ programId: program.id, clickId: sale.click_id })),
  );
  for (const { index, program, sale } of candidates) {
    outcomes.set(
      index,
      isForeign(program.id, sale.click_id)
        ? new Rejection('no_affiliate_attribution')
        : unknownCustomerRejection('sale_customer_not_found', sale),
    );
  }
}
