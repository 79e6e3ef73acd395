/**
 * A problem with payouts that a payout provider sends.
 * - `failed`: the provider has not paid.
 * - `unclear`: it is unknown whether the provider has paid.
 * - `contradicted`: the provider has reported a result that differs from the stored result.
 * - `delayed`: the provider has not confirmed the payouts after several attempts to send them.
 */
export type PayoutProblem = 'failed' | 'unclear' | 'contradicted' | 'delayed';
