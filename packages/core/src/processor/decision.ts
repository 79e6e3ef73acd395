import type { ProcessorOutcome } from '../storage/database/schema-processor.ts';

/** What came of an event. */
export interface Decision {
  readonly outcome: ProcessorOutcome;
  /** A stable word; null where the outcome says all. */
  readonly reason: string | null;
  readonly programId?: number;
  readonly saleId?: number;
  readonly clickId?: string;
  readonly customerKey?: string;
}

export function ignored(reason: string, about: Omit<Decision, 'outcome' | 'reason'> = {}): Decision {
  return { outcome: 'ignored', reason, ...about };
}

/** Why a payment is ignored that no partner brought, as far as its own event told. */
export const NO_PARTNERS_REASONS: readonly string[] = [
  'metadata_missing',
  'foreign_program',
  'sale_customer_not_found',
  'no_affiliate_attribution',
  'no_partner_program',
  'partner_required',
];

/** Why an event may have another outcome when it is sent again: the customer came, the partner was approved. */
const PASSING_REASONS: ReadonlySet<string | null> = new Set([
  'sale_customer_not_found',
  'no_affiliate_attribution',
  'no_partner_program',
  'partner_required',
  'program_not_found',
]);

/** Is there nothing more to be done for the event, however often it is sent? */
export function isFinal(decision: Pick<Decision, 'outcome' | 'reason'>): boolean {
  return decision.outcome !== 'ignored' || !PASSING_REASONS.has(decision.reason);
}
