export type StepKind =
  | 'click'
  | 'lead'
  | 'sale'
  | 'commission'
  | 'no_commission'
  | 'approval'
  | 'rejection'
  | 'refund'
  | 'adjustment'
  | 'payout'
  | 'webhook'
  | 'ledger'
  | 'note'
  | 'missing';

/** One step of a trace: an event or a decision, and the rule that led to it. */
export interface TraceStep {
  /** When the event or decision was recorded, in epoch milliseconds. Steps are sorted by this time. */
  readonly order: number;
  readonly step: StepKind;
  /** A stable code that identifies the rule. */
  readonly reason: string;
  /**
   * The rule in plain English. Partners read this text too. It must not identify a customer, a payment, or
   * another partner, and must not contain the amount of a sale.
   */
  readonly why: string;
  /** The facts behind the decision. `hideFromPartner` removes the facts that a partner must not see. */
  readonly detail: Readonly<Record<string, unknown>>;
}
