/**
 * The state of a dispute.
 * - `open`: not decided.
 * - `reinstated`: not decided, but the processor has returned the money.
 * - `lost`: the customer keeps the money.
 * - `won`: the advertiser keeps the money, or nothing was withdrawn.
 */
export type DisputeState = 'open' | 'reinstated' | 'lost' | 'won';

/** A state later in this list takes precedence over an earlier one, regardless of which is reported first. */
const DISPUTE_STATE_ORDER: readonly DisputeState[] = ['open', 'reinstated', 'lost', 'won'];

export interface DisputeReport {
  readonly state: DisputeState;
  readonly amountCents: number;
}

/**
 * Whether a report replaces another report. The later state wins. If the states are equal, the larger amount
 * wins. The result therefore does not depend on the order in which reports arrive.
 */
export function replacesReport(report: DisputeReport, other: DisputeReport): boolean {
  const steps = DISPUTE_STATE_ORDER.indexOf(report.state) - DISPUTE_STATE_ORDER.indexOf(other.state);
  return steps > 0 || (steps === 0 && report.amountCents > other.amountCents);
}
