/**
 * A problem with payouts that a provider sends. `contradicted`: the provider has later reported another result.
 * `delayed`: several attempts to send the payouts got no confirmation.
 */
export type PayoutProblem = 'failed' | 'unclear' | 'contradicted' | 'delayed';
