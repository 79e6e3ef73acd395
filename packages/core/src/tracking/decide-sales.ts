import { type Resolution, resolveByToken } from '../domain/attribution.ts';
import { Rejection } from '../rejection.ts';
import type { PartnerProgramStatus } from '../storage/database/schema-programs.ts';
import type { ProgramAccount } from '../storage/programs/programs.ts';
import type { CustomerChange, CustomerRow } from '../storage/tracking/customers.ts';
import type { SaleKey } from '../storage/tracking/sales.ts';
import { BatchCustomers } from './batch-customers.ts';
import type { CommissionBasis } from './decide-commission.ts';
import { earningsOfSale } from './earnings-of-sale.ts';
import type { ReportedSale } from './sale.ts';

/** A valid sale of an existing program, before attribution. */
export interface SaleCandidate {
  /** The position of the request in the batch. */
  readonly index: number;
  readonly sale: ReportedSale;
  readonly program: ProgramAccount;
  readonly saleAt: number;
  readonly fingerprint: string;
  /** All known ids of the payment, beginning with the ids in the request. */
  readonly refs: readonly string[];
  /** Whether a payment processor has sent an event that contains one of the ids. */
  readonly isKnownToProcessor: boolean;
}

/** The data from which the sales of a round are decided; see `decideRound`. */
export interface SaleFacts {
  /** All customers of the sales in the round; must be locked. */
  readonly customers: readonly CustomerRow[];
  /** Returns the recorded sale that already has an id of the candidate's payment, or null. */
  readonly findRecorded: (candidate: SaleCandidate) => SaleKey | null;
  /** Returns null when the partner is not enrolled in the program. */
  readonly enrollmentStatus: (programId: number, partnerId: number) => PartnerProgramStatus | null;
}

export interface AttributedSale extends SaleCandidate {
  /** The resolved customer, in the state before the sale. */
  readonly resolution: Resolution<CustomerRow>;
  readonly basis: CommissionBasis;
}

/** The result of a round. Each candidate is in exactly one of the lists. */
export interface SaleRound {
  /** Sales that belong to a customer. No two sales in the list have a payment id in common. */
  readonly attributed: readonly AttributedSale[];
  readonly duplicates: readonly { readonly candidate: SaleCandidate; readonly recorded: SaleKey }[];
  /** Sales whose customer is not known in their program. */
  readonly unattributed: readonly SaleCandidate[];
  readonly rejected: readonly { readonly candidate: SaleCandidate; readonly rejection: Rejection }[];
  /** Sales that depend on another sale of the round. They must be decided after that sale has been stored. */
  readonly postponed: readonly SaleCandidate[];
  readonly customerChanges: readonly CustomerChange[];
}

type SaleDecision =
  | { readonly kind: 'attributed'; readonly sale: AttributedSale }
  | { readonly kind: 'duplicate'; readonly recorded: SaleKey }
  | { readonly kind: 'unattributed' }
  | { readonly kind: 'rejected'; readonly rejection: Rejection }
  | { readonly kind: 'postponed' };

/**
 * The payment ids and customers of earlier sales in the round. A later sale that conflicts with them is
 * postponed.
 */
interface RoundClaims {
  readonly payments: Set<string>;
  /**
   * The customers of all earlier sales that were attributed or postponed: the customer keys and click ids in these
   * sales, and the row ids of the customers who have these keys and ids.
   */
  readonly touched: Set<string>;
  /**
   * The part of `touched` that comes from the following earlier sales: those that were postponed, those that change a
   * customer key, and those that may get the first commission of a subscription.
   */
  readonly changed: Set<string>;
}

/**
 * Decides the sales of a round in order. A batch of sales is decided in rounds: a sale that depends on another
 * sale of the round is postponed to the next round. This is a pure function, without I/O and without changes to
 * its arguments.
 */
export function decideRound(candidates: readonly SaleCandidate[], facts: SaleFacts): SaleRound {
  const customers = new BatchCustomers(facts.customers);
  const claims: RoundClaims = { payments: new Set(), touched: new Set(), changed: new Set() };
  const attributed: AttributedSale[] = [];
  const duplicates: { candidate: SaleCandidate; recorded: SaleKey }[] = [];
  const unattributed: SaleCandidate[] = [];
  const rejected: { candidate: SaleCandidate; rejection: Rejection }[] = [];
  const postponed: SaleCandidate[] = [];
  for (const candidate of candidates) {
    const decision = decideSale(candidate, facts, customers, claims);
    if (decision.kind === 'attributed') attributed.push(decision.sale);
    else if (decision.kind === 'duplicate') duplicates.push({ candidate, recorded: decision.recorded });
    else if (decision.kind === 'unattributed') unattributed.push(candidate);
    else if (decision.kind === 'rejected') rejected.push({ candidate, rejection: decision.rejection });
    else postponed.push(candidate);
  }
  return { attributed, duplicates, unattributed, rejected, postponed, customerChanges: customers.changes() };
}

function decideSale(
  candidate: SaleCandidate,
  facts: SaleFacts,
  customers: BatchCustomers,
  claims: RoundClaims,
): SaleDecision {
  const { program, sale, saleAt } = candidate;
  const byKey = customers.findByKey(program.id, sale.customer_key);
  const byClick = customers.findByClick(program.id, sale.click_id);
  const payments = paymentNames(candidate);
  const names = customerNames(candidate, [byKey, byClick]);
  const claim = (changes: boolean) => {
    for (const name of payments) claims.payments.add(name);
    for (const name of names) {
      claims.touched.add(name);
      if (changes) claims.changed.add(name);
    }
  };
  const postpone = (): SaleDecision => {
    // Later sales with the same ids or customers must also wait, so that they are not decided first.
    claim(true);
    return { kind: 'postponed' };
  };
  if (payments.some((name) => claims.payments.has(name))) return postpone();
  const recorded = facts.findRecorded(candidate);
  if (recorded) {
    // The duplicate may add ids to the recorded sale. Claim the ids, so that later sales with these ids are postponed.
    if (candidate.refs.length > 1) for (const name of payments) claims.payments.add(name);
    return { kind: 'duplicate', recorded };
  }
  if (names.some((name) => claims.changed.has(name))) return postpone();
  const resolution = resolveByToken(sale.customer_key, byKey, byClick);
  if (!resolution) return { kind: 'unattributed' };
  const { customer } = resolution;
  const { partner_id: partnerId } = customer;
  if (partnerId === null) return { kind: 'rejected', rejection: new Rejection('partner_required') };
  if (facts.enrollmentStatus(program.id, partnerId) !== 'approved') {
    return { kind: 'rejected', rejection: new Rejection('no_partner_program') };
  }
  const changes = resolution.storesKey || resolution.displaced !== null || sale.subscription_id !== undefined;
  if (changes && names.some((name) => claims.touched.has(name))) return postpone();
  claim(changes);
  customers.applyKey(resolution, sale.customer_key, 'verified');
  customers.change(customer, {
    status: 'conversion',
    first_purchase_at: customer.first_purchase_at ?? saleAt,
  });
  return {
    kind: 'attributed',
    sale: { ...candidate, resolution, basis: saleBasis(candidate, customer, partnerId, byClick !== null) },
  };
}

function paymentNames({ program, sale, refs }: SaleCandidate): string[] {
  return [
    `transaction ${sale.transaction_id}`,
    ...refs.map((ref) => `payment ${program.workspaceId} ${ref}`),
  ];
}

function customerNames(
  { program, sale }: SaleCandidate,
  customers: readonly (CustomerRow | null)[],
): string[] {
  return [
    ...(sale.customer_key === undefined ? [] : [`key ${program.id} ${sale.customer_key}`]),
    ...(sale.click_id === undefined ? [] : [`click ${program.id} ${sale.click_id}`]),
    ...customers.flatMap((row) => (row ? [`customer ${row.program_id} ${row.id}`] : [])),
  ];
}

function saleBasis(
  { program, sale, saleAt }: SaleCandidate,
  { id, last_click_at, key_state }: CustomerRow,
  partnerId: number,
  namesClick: boolean,
): CommissionBasis {
  return {
    ...earningsOfSale(program, sale),
    subscriptionId: sale.subscription_id ?? null,
    saleAt,
    customerId: id,
    partnerId,
    lastClickAt: last_click_at,
    isKeyClaimed: key_state === 'claimed' && !namesClick,
  };
}
