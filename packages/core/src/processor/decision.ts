import type { ProcessorOutcome } from '../storage/database/schema-processor.ts';

/** The decision about an event. The decision is stored, and shown in the processor's event log. */
export interface ProcessorDecision {
  readonly outcome: ProcessorOutcome;
  /** A stable code, or null when the outcome needs no reason. */
  readonly reason: string | null;
  readonly programId?: number;
  readonly saleId?: number;
  readonly clickId?: string;
  readonly customerKey?: string;
}

export function ignoredDecision(
  reason: string,
  about: Omit<ProcessorDecision, 'outcome' | 'reason'> = {},
): ProcessorDecision {
  return { outcome: 'ignored', reason, ...about };
}

export function decisionColumns(decision: ProcessorDecision) {
  return {
    outcome: decision.outcome,
    reason: decision.reason,
    program_id: decision.programId ?? null,
    sale_id: decision.saleId ?? null,
    click_id: decision.clickId ?? null,
    customer_key: decision.customerKey ?? null,
  };
}

/** The reasons for ignoring a payment whose event does not connect it with a partner. */
export const UNATTRIBUTED_REASONS: readonly string[] = [
  'metadata_missing',
  'foreign_program',
  'sale_customer_not_found',
  'no_affiliate_attribution',
  'no_partner_program',
  'partner_required',
];

/**
 * An event that was ignored for one of these reasons is processed again when the processor redelivers it. By
 * then, the missing customer or approval may exist, or the connection may have been corrected.
 */
const TEMPORARY_REASONS: ReadonlySet<string | null> = new Set([
  'sale_customer_not_found',
  'no_affiliate_attribution',
  'no_partner_program',
  'partner_required',
  'program_not_found',
  'test_event',
  'live_event',
  'other_account',
]);

/** Whether the decision is final. If so, the event is not processed again when the processor redelivers it. */
export function isFinalDecision(decision: Pick<ProcessorDecision, 'outcome' | 'reason'>): boolean {
  return decision.outcome !== 'ignored' || !TEMPORARY_REASONS.has(decision.reason);
}
