import { type Resolution, resolveByToken } from '../domain/attribution.ts';
import { isSubscription } from '../domain/processor-ref.ts';
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
  /** Lists all recorded sales of the candidate's program that share an id with the candidate's payment. */
  readonly listOwnSales: (candidate: SaleCandidate) => readonly OwnSale[];
  /** Returns null when the partner is not enrolled in the program. */
  readonly enrollmentStatus: (programId: number, partnerId: number) => PartnerProgramStatus | null;
}

interface OwnSale extends SaleKey {
  /** Row id of the customer, or null if the sale has none. */
  readonly customerId: number | null;
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
 * The sales of a round that may affect each other, because they share payment ids, customers, or recorded
 * sales. They may also be connected only through other sales of the round. The result of the round is the
 * same as if the sales of each group were recorded one by one, in their order. There is one exception:
 * deductions stop when the balance of a partner reaches zero. If sales of a partner have refunds that arrived
 * before them, the order of these sales matters even if they are in different groups.
 */
interface SaleGroup {
  /** Whether a sale was postponed. All later sales of the group must then be postponed too, to keep the order. */
  isPostponed: boolean;
  /** Whether a sale of the group is recorded in this round. */
  hasAttributed: boolean;
  /**
   * Whether a sale that is recorded in this round changes a customer key, or may get the first commission of
   * a subscription. All later sales of the group must then wait.
   */
  hasChange: boolean;
  /**
   * Whether a duplicate may merge recorded sales. Until it has done so, it is unknown to which sale a later
   * duplicate belongs.
   */
  mayMerge: boolean;
}

/**
 * Decides the sales of a round in order. A batch of sales is decided in rounds: a sale that depends on another
 * sale of the round is postponed to the next round. The caller must store the duplicates before the attributed sales.
 * This is a pure function, without I/O and without changes to its arguments.
 */
export function decideRound(candidates: readonly SaleCandidate[], facts: SaleFacts): SaleRound {
  const customers = new BatchCustomers(facts.customers);
  const groupOf = groupSales(candidates, facts, customers);
  const claimed = new Set<string>();
  const attributed: AttributedSale[] = [];
  const duplicates: { candidate: SaleCandidate; recorded: SaleKey }[] = [];
  const unattributed: SaleCandidate[] = [];
  const rejected: { candidate: SaleCandidate; rejection: Rejection }[] = [];
  const postponed: SaleCandidate[] = [];
  for (const candidate of candidates) {
    const group = groupOf(candidate);
    const decision: SaleDecision = group.isPostponed
      ? { kind: 'postponed' }
      : decideSale(candidate, facts, customers, group, claimed);
    if (decision.kind === 'attributed') attributed.push(decision.sale);
    else if (decision.kind === 'duplicate') duplicates.push({ candidate, recorded: decision.recorded });
    else if (decision.kind === 'unattributed') unattributed.push(candidate);
    else if (decision.kind === 'rejected') rejected.push({ candidate, rejection: decision.rejection });
    else {
      group.isPostponed = true;
      postponed.push(candidate);
    }
  }
  return { attributed, duplicates, unattributed, rejected, postponed, customerChanges: customers.changes() };
}

/** @param claimed the payment ids that earlier sales of the round take, or add to recorded sales */
function decideSale(
  candidate: SaleCandidate,
  facts: SaleFacts,
  customers: BatchCustomers,
  group: SaleGroup,
  claimed: Set<string>,
): SaleDecision {
  const { program, sale, saleAt, refs } = candidate;
  const payments = paymentNames(candidate);
  if (payments.some((name) => claimed.has(name))) return { kind: 'postponed' };
  const recorded = facts.findRecorded(candidate);
  if (recorded) {
    // A sale of another program is not changed.
    if (recorded.programId !== program.id) return { kind: 'duplicate', recorded };
    const mayMerge = refs.length > 1;
    const changes = mayMerge || sale.subscription_id !== undefined;
    if (group.mayMerge || (changes ? group.hasAttributed : group.hasChange)) return { kind: 'postponed' };
    if (mayMerge) {
      group.mayMerge = true;
      // The recorded sale gets these ids, so later sales with one of them are duplicates too.
      for (const name of payments) claimed.add(name);
    }
    return { kind: 'duplicate', recorded };
  }
  if (group.hasChange) return { kind: 'postponed' };
  const byClick = customers.findByClick(program.id, sale.click_id);
  const resolution = resolveByToken(
    sale.customer_key,
    customers.findByKey(program.id, sale.customer_key),
    byClick,
  );
  if (!resolution) return { kind: 'unattributed' };
  const { customer } = resolution;
  const { partner_id: partnerId } = customer;
  if (partnerId === null) return { kind: 'rejected', rejection: new Rejection('partner_required') };
  if (facts.enrollmentStatus(program.id, partnerId) !== 'approved') {
    return { kind: 'rejected', rejection: new Rejection('no_partner_program') };
  }
  const namesSubscription = sale.subscription_id !== undefined || refs.some(isSubscription);
  const changes = resolution.storesKey || resolution.displaced !== null || namesSubscription;
  if (changes && group.hasAttributed) return { kind: 'postponed' };
  group.hasAttributed = true;
  group.hasChange = changes;
  for (const name of payments) claimed.add(name);
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

/** @returns a function that returns the group of a sale */
function groupSales(
  candidates: readonly SaleCandidate[],
  { listOwnSales }: SaleFacts,
  customers: BatchCustomers,
): (candidate: SaleCandidate) => SaleGroup {
  const names = candidates.map((candidate) => [
    ...paymentNames(candidate),
    ...customerNames(candidate, customers),
    ...listOwnSales(candidate).flatMap(({ programId, saleId, customerId }) => [
      `sale ${programId} ${saleId}`,
      ...(customerId === null ? [] : [`customer ${programId} ${customerId}`]),
    ]),
  ]);
  const rootOf = joinNames(names);
  const groups = new Map<string, SaleGroup>();
  return (candidate) => {
    const root = rootOf(`transaction ${candidate.sale.transaction_id}`);
    const group = groups.get(root) ?? {
      isPostponed: false,
      hasAttributed: false,
      hasChange: false,
      mayMerge: false,
    };
    groups.set(root, group);
    return group;
  };
}

/**
 * Joins the names of each list into a group (a union-find structure).
 * @returns a function that returns the name that represents the group of the given name
 */
function joinNames(lists: readonly (readonly string[])[]): (name: string) => string {
  const parents = new Map<string, string>();
  const rootOf = (name: string): string => {
    const parent = parents.get(name);
    if (parent === undefined) return name;
    const root = rootOf(parent);
    parents.set(name, root);
    return root;
  };
  for (const [first, ...others] of lists) {
    for (const other of others) {
      const [root, otherRoot] = [rootOf(first ?? other), rootOf(other)];
      if (otherRoot !== root) parents.set(otherRoot, root);
    }
  }
  return rootOf;
}

function paymentNames({ program, sale, refs }: SaleCandidate): string[] {
  return [
    `transaction ${sale.transaction_id}`,
    ...refs.map((ref) => `payment ${program.workspaceId} ${ref}`),
  ];
}

function customerNames({ program, sale }: SaleCandidate, customers: BatchCustomers): string[] {
  const found = [
    customers.findByKey(program.id, sale.customer_key),
    customers.findByClick(program.id, sale.click_id),
  ];
  return [
    ...(sale.customer_key === undefined ? [] : [`key ${program.id} ${sale.customer_key}`]),
    ...(sale.click_id === undefined ? [] : [`click ${program.id} ${sale.click_id}`]),
    ...found.flatMap((row) => (row ? [`customer ${row.program_id} ${row.id}`] : [])),
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
    isRecurring: sale.is_recurring === true,
    saleAt,
    customerId: id,
    partnerId,
    lastClickAt: last_click_at,
    isKeyClaimed: key_state === 'claimed' && !namesClick,
  };
}
