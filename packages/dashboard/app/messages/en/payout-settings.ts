export const title = 'Payouts';
export const about = 'The minimum amount, the day, and the account for payouts.';
export const minimum = (currency: string): string => `Minimum payout in ${currency} (optional)`;
export const minimumHint =
  'Smaller amounts stay in the partner’s balance. To pay every amount, leave this field empty. Other currencies use the same number.';
export const ownMinimumHint = 'If you leave this field empty, the minimum of the program applies.';
export const sameNumber = (amounts: string): string => `Other currencies use the same number: ${amounts}.`;
export const minimumInvalid =
  'Enter an amount above 0 without thousands separators, or leave the field empty.';
export const day = 'Propose payouts every month';
export const dayHint =
  'An owner confirms the payouts. If a month does not have this day, they are proposed on its last day. Days begin at 00:00 UTC.';
export const never = 'Never';
export const onDay = (day: number): string => `On day ${day}`;
export const debtorName = 'Paying account: name';
export const iban = 'Paying account: IBAN';
export const ibanHint = (stored: string | null): string =>
  stored === null
    ? 'Needed only for SEPA files. Stored encrypted.'
    : `Stored: ${stored}. Enter the whole IBAN to change the account.`;
export const debtorNameMissing = 'Enter the name of the owner of the account.';
export const ibanMissing =
  'Enter the IBAN. To remove the account, leave the name, the IBAN, and the BIC empty.';
export const bic = 'Paying account: BIC (optional)';
export const save = 'Save the payout settings';
export const saved = 'The payout settings are saved.';
