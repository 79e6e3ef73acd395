import { countrySpecs, electronicFormatIBAN, isValidBIC, isValidIBAN } from 'ibantools';
import { z } from 'zod';
import { currencyCode, freeText, nameText, rowId } from '../fields.ts';
import { strictFields } from '../strict-fields.ts';
import { emailField } from './management.ts';
import { currentPassword } from './sign-in.ts';

/** The ways in which a partner can be paid. */
export const PAYOUT_METHODS = ['paypal', 'bank', 'wise', 'stripe', 'other'] as const;

/** Whether an account belongs to a person or a company. Wise requires this information. */
export const ACCOUNT_HOLDER_TYPES = ['person', 'company'] as const;

export type AccountHolderType = (typeof ACCOUNT_HOLDER_TYPES)[number];

export type PayoutMethod = (typeof PAYOUT_METHODS)[number];

const MAX_ACCOUNT_HOLDER_LENGTH = 70;
const MAX_ADDRESS_LENGTH = 140;
const MAX_TAX_ID_LENGTH = 64;
/** An IBAN has at most 34 characters. People write it in groups of four, so the limit allows for spaces. */
const MAX_IBAN_INPUT_LENGTH = 64;

const IBAN_MESSAGE =
  'iban must be a valid IBAN such as DE89 3704 0044 0532 0130 00. Check it for a typing error.';
const BIC_MESSAGE = 'bic must be a valid BIC of 8 or 11 characters, such as COBADEFFXXX';
const STRIPE_MESSAGE =
  'stripe_account_id must be the id of a connected account, such as acct_1NfIxQ2eZvKYlo2C';
const COUNTRY_MESSAGE = 'country of address must be an ISO 3166-1 code of two letters, such as DE';

/** An IBAN. It may contain spaces, which parsing removes. */
export const ibanField = z
  .string({ error: IBAN_MESSAGE })
  .max(MAX_IBAN_INPUT_LENGTH, { error: IBAN_MESSAGE })
  .transform((text) => electronicFormatIBAN(text) ?? '')
  .refine((text) => isValidIBAN(text), { error: IBAN_MESSAGE })
  .describe('IBAN, with or without spaces.');

export const bicField = z
  .string({ error: BIC_MESSAGE })
  .max(MAX_IBAN_INPUT_LENGTH, { error: BIC_MESSAGE })
  .transform((text) => text.replaceAll(' ', '').toUpperCase())
  .refine((text) => isValidBIC(text), { error: BIC_MESSAGE })
  .describe('BIC of the bank. Banks outside of the SEPA area may need it.');

const country = z
  .string({ error: COUNTRY_MESSAGE })
  .transform((code) => (/^[a-z]{2}$/i.test(code) ? code.toUpperCase() : code))
  .refine((code) => Object.hasOwn(countrySpecs, code), { error: COUNTRY_MESSAGE })
  .meta({ pattern: '^[A-Za-z]{2}$', examples: ['DE'] });

const addressLine = (name: string) => nameText(`${name} of address`, MAX_ADDRESS_LENGTH);

const postalAddress = strictFields({
  line1: addressLine('line1').describe('Street and number, or post box.'),
  line2: addressLine('line2').nullable().describe('Second line.').optional(),
  postal_code: nameText('postal_code of address', 16).nullable().describe('Postal code.').optional(),
  city: addressLine('city').describe('City.'),
  region: addressLine('region').nullable().describe('State or region.').optional(),
  country: country.describe('ISO 3166-1 code of two letters, in upper or lower case.'),
});

/** The fields that a payout method requires or accepts, in addition to the fields of all methods. */
const FIELDS_OF_METHOD: Readonly<
  Record<
    PayoutMethod,
    { readonly required: readonly MethodField[]; readonly optional: readonly MethodField[] }
  >
> = {
  paypal: { required: ['email'], optional: [] },
  bank: { required: ['iban', 'account_holder'], optional: ['bic'] },
  wise: { required: ['account_holder'], optional: ['account_holder_type', 'email', 'iban'] },
  stripe: { required: ['stripe_account_id'], optional: [] },
  other: { required: ['instructions'], optional: [] },
};
const METHOD_FIELDS = [
  'email',
  'iban',
  'bic',
  'account_holder',
  'account_holder_type',
  'stripe_account_id',
  'instructions',
] as const;

type MethodField = (typeof METHOD_FIELDS)[number];

/** Body of `PUT /api/partner/payout-details`. It replaces all details. */
export const updatePayoutDetailsRequest = strictFields({
  partner_id: rowId('partner_id')
    .describe("Id of one of the user's partners. Required if the user has several.")
    .optional(),
  method: z
    .enum(PAYOUT_METHODS, { error: `method must be one of ${PAYOUT_METHODS.join(', ')}` })
    .describe(
      'Payment method. Required fields by method: `paypal`: `email`. `bank`: `iban` and `account_holder`. `wise`: `account_holder`, and `email` or `iban`. `stripe`: `stripe_account_id`. `other`: `instructions`.',
    ),
  currency: currencyCode
    .describe(
      'Currency of the account. Payouts in other currencies are not paid to this account, because amounts are not converted. Leave it out if the account accepts every currency.',
    )
    .optional(),
  email: emailField.describe('Email address of the PayPal or Wise account.').optional(),
  iban: ibanField.optional(),
  bic: bicField.optional(),
  account_holder: nameText('account_holder', MAX_ACCOUNT_HOLDER_LENGTH)
    .describe('Name of the owner of the account.')
    .optional(),
  account_holder_type: z
    .enum(ACCOUNT_HOLDER_TYPES, {
      error: `account_holder_type must be one of ${ACCOUNT_HOLDER_TYPES.join(', ')}`,
    })
    .describe(
      'Whether the account belongs to a person, or to a company or another organization. Only for `wise`. Defaults to `person`.',
    )
    .optional(),
  stripe_account_id: z
    .string({ error: STRIPE_MESSAGE })
    .regex(/^acct_[A-Za-z0-9]{1,64}$/, { error: STRIPE_MESSAGE })
    .describe('Id of the connected account.')
    .optional(),
  instructions: freeText('instructions')
    .refine((text) => text.trim() !== '', { error: 'instructions must not be empty' })
    .describe('How to pay, in your words.')
    .optional(),
  tax_name: nameText('tax_name').describe('Name of the person or company for invoices and taxes.').optional(),
  tax_id: nameText('tax_id', MAX_TAX_ID_LENGTH).describe('Tax number or VAT number.').optional(),
  address: postalAddress.describe('Postal address for invoices and taxes.').optional(),
  password: currentPassword
    .describe('Current password of the user. Required to change existing details.')
    .optional(),
}).superRefine((details, context) => {
  const fault = methodFault(details);
  if (fault !== null) context.addIssue({ code: 'custom', message: fault });
});

/** Body of `DELETE /api/partner/payout-details`. */
export const deletePayoutDetailsRequest = strictFields({
  password: currentPassword
    .describe('Current password of the user. Required if there are details.')
    .optional(),
});

function methodFault(
  details: { readonly method: PayoutMethod } & { readonly [Field in MethodField]?: string | undefined },
): string | null {
  const { method } = details;
  const { required, optional } = FIELDS_OF_METHOD[method];
  const missing = required.find((name) => details[name] === undefined);
  if (missing !== undefined) return `${missing} is required for the method ${method}`;
  const unused = METHOD_FIELDS.find(
    (name) => details[name] !== undefined && !required.includes(name) && !optional.includes(name),
  );
  if (unused !== undefined) return `The method ${method} does not use ${unused}. Remove it.`;
  if (method === 'wise' && (details.email === undefined) === (details.iban === undefined)) {
    return 'The method wise requires either email or iban';
  }
  return null;
}

export type UpdatePayoutDetailsRequest = z.input<typeof updatePayoutDetailsRequest>;
