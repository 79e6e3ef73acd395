export const title = 'Payout details';
export const intro =
  'Where advertisers send your payouts, and what your receipts show. Stored encrypted. Advertisers see the full account only in payment files.';
export const partner = 'Workspace';
export const password = 'Your password, to confirm the change';
export const passwordWrong = 'The password is not correct.';
export const none = 'No payout details yet.';

export const account = 'Account';
export const method = 'How you are paid';
/** The text for each payout method in the API. */
export const methods = {
  paypal: 'PayPal',
  bank: 'Bank transfer (SEPA)',
  wise: 'Wise',
  stripe: 'Stripe',
  other: 'Another way',
} as const;
export const currency = 'Currency of the account (optional)';
export const currencyHint =
  'Three letters, such as EUR. Amounts are not converted. If the account accepts every currency, leave this field empty.';
export const email = 'Email address of the account';
export const emailOrIban = 'Either the email address or the IBAN.';
export const iban = 'IBAN';
export const bic = 'BIC (optional)';
export const bicHint = 'Banks outside of the SEPA area may need it.';
export const accountHolder = 'Account holder';
export const holderType = 'The account belongs to';
/** The text for each kind of account holder in the API. */
export const holderTypes = { person: 'A person', company: 'A company or organization' } as const;
export const stripeAccount = 'Id of your connected Stripe account';
export const stripeExample = 'acct_…';
export const instructions = 'How should the advertiser pay you?';

export const tax = 'Receipts and taxes';
export const taxHint = 'Shown on your receipts.';
export const taxName = 'Name of the person or company (optional)';
export const taxId = 'Tax or VAT number (optional)';
export const hasAddress = 'Add a postal address';
export const line1 = 'Street and number';
export const line2 = 'Second line (optional)';
export const postalCode = 'Postal code (optional)';
export const city = 'City';
export const region = 'State or region (optional)';
export const country = 'Country';
export const countryHint = 'Two letters, such as DE.';

export const saved = 'Your payout details are saved. The next payouts use them.';
export const remove = 'Delete';
export const removeTitle = 'Delete your payout details?';
export const removeAll = 'Delete the details';
export const removeWarning =
  'Advertisers of this workspace cannot pay you until you enter new details. Payouts that were already sent, and their receipts, are not affected.';
export const removed = 'Your payout details are deleted.';
export const missing = 'Fill in this field.';
export const eitherOr = 'Enter either the email address or the IBAN, not both.';
export const changedOn = (time: string): string => `Last changed ${time}`;

/** The name of each field in the API, as a notification of a change shows it. */
export const fieldNames: Readonly<Record<string, string>> = {
  method: 'the method',
  currency: 'the currency',
  email: 'the email address',
  iban: 'IBAN',
  bic: 'BIC',
  account_holder: 'the account holder',
  account_holder_type: 'person or company',
  stripe_account_id: 'the connected account',
  instructions: 'the instructions',
  tax_name: 'the tax name',
  tax_id: 'the tax number',
  address: 'the address',
};
