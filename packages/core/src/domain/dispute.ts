/**
 * The state of a dispute.
 * - `open`: not decided.
 * - `reinstated`: not decided, but the processor has returned the money.
 * - `lost`: the customer keeps the money.
 * - `won`: the advertiser keeps the money, or nothing was withdrawn.
 */
export type DisputeState = 'open' | 'reinstated' | 'lost' | 'won';

/** A later state replaces an earlier one, in whichever order they are reported. */
const DISPUTE_STATE_ORDER: readonly DisputeState[] = ['open', 'reinstated', 'lost', 'won'];

/** A dispute as one event reports it. */
export interface DisputeReport {
  readonly state: DisputeState;
  readonly amountCents: number;
}

/**
 * Whether a report replaces an earlier report. The later state wins. Between reports of the same state the
 * larger amount wins. The result therefore does not depend on the order of the reports.
 */
export function isLaterReport(report: DisputeReport, other: DisputeReport): boolean {
  const steps = DISPUTE_STATE_ORDER.indexOf(report.state) - DISPUTE_STATE_ORDER.indexOf(other.state);
  return steps > 0 || (steps === 0 && report.amountCents > other.amountCents);
}
