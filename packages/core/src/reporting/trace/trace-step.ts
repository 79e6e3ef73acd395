/** The kind of an event or decision in a trace. */
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

/** One step of a trace: an event or decision, with the rule behind it. */
export interface TraceStep {
  /** When it was recorded, in epoch milliseconds. Steps are sorted by it. */
  readonly order: number;
  readonly step: StepKind;
  /** A stable code of the rule. */
  readonly reason: string;
  /**
   * The rule in plain English. Partners read it too, so it must not contain a customer, a payment, the amount
   * of a sale or another partner.
   */
  readonly why: string;
  /** The facts behind the decision. `hideFromPartner` removes the facts that a partner must not see. */
  readonly detail: Readonly<Record<string, unknown>>;
}
