export const title = 'Payouts';
export const about = 'Which amounts are paid, when, and from which account.';
export const minimum = (currency: string): string => `Minimum payout in ${currency}`;
export const minimumHint =
  'Partners who are owed less keep it in their balance. Leave it empty to pay every amount. Other currencies use the same number.';
export const ownMinimumHint = 'Leave it empty for the minimum of the program.';
export const sameNumber = (amounts: string): string => `Other currencies use the same number: ${amounts}.`;
export const minimumInvalid = 'Enter an amount above 0, or leave the field empty.';
export const day = 'Propose payouts every month';
export const dayHint =
  'An owner confirms them. In a shorter month, they are proposed on its last day. Days begin at 00:00 UTC.';
export const never = 'Never';
export const onDay = (day: number): string => `On day ${day}`;
export const debtorName = 'Account that pays: name';
export const iban = 'Account that pays: IBAN';
export const ibanHint = (stored: string | null): string =>
  stored === null
    ? 'Only for SEPA files. Stored encrypted.'
    : `Stored: ${stored}. Enter the whole IBAN to change the account.`;
export const bic = 'Account that pays: BIC (optional)';
export const save = 'Save the payout settings';
export const saved = 'The payout settings are saved.';
