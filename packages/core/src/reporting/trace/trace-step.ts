/** A kind of thing that took place, or was decided. */
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

/** One step of a customer's story: what took place, and the rule that decided. */
export interface Step {
  /** When it was recorded, in epoch milliseconds. */
  readonly order: number;
  readonly step: StepKind;
  /** A stable word for the rule that decided. */
  readonly reason: string;
  /** The rule in a sentence. It names no customer, no payment, no amount of a sale and no other partner. */
  readonly why: string;
  readonly detail: Readonly<Record<string, unknown>>;
}
