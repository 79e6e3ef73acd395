/**
 * What can happen to payouts that a provider sends. `contradicted`: it has later reported another result. `delayed`:
 * several attempts to send them got no confirmation.
 */
export type PayoutProblem = 'failed' | 'unclear' | 'contradicted' | 'delayed';
