import { z } from 'zod';
import { ACCOUNT_HOLDER_TYPES, PAYOUT_METHODS } from '../requests/payout-details.ts';
import { currency, partnerId, time } from './envelope.ts';

const method = z.enum(PAYOUT_METHODS).describe('Payment method.');
const accountCurrency = currency
  .nullable()
  .describe('Currency of the account. Null if the account accepts every currency.');
const updatedAt = time.describe('When the partner last changed the details.');

/** The payout details of a partner, as shown to the partner. */
export const payoutDetailsRow = z.object({
  partner_id: partnerId,
  method,
  currency: accountCurrency,
  email: z.string().nullable().describe('Email address of the PayPal or Wise account.'),
  iban: z.string().nullable().describe('IBAN, without spaces.'),
  bic: z.string().nullable().describe('BIC of the bank.'),
  account_holder: z.string().nullable().describe('Name of the owner of the account.'),
  account_holder_type: z
    .enum(ACCOUNT_HOLDER_TYPES)
    .nullable()
    .describe('Whether the account belongs to a person or a company. Null means a person.'),
  stripe_account_id: z.string().nullable().describe('Id of the connected account at Stripe.'),
  instructions: z.string().nullable().describe("How to pay, in the partner's words."),
  tax_name: z.string().nullable().describe('Name of the person or company for invoices and taxes.'),
  tax_id: z.string().nullable().describe('Tax number or VAT number.'),
  address: z
    .object({
      line1: z.string(),
      line2: z.string().nullable(),
      postal_code: z.string().nullable(),
      city: z.string(),
      region: z.string().nullable(),
      country: z.string().describe('ISO 3166-1 code of two letters.'),
    })
    .nullable()
    .describe('Postal address for invoices and taxes.'),
  updated_at: updatedAt,
});

/** The payout details of a partner, as shown to the advertiser. Only payout files contain all details. */
export const maskedPayoutDetailsRow = z.object({
  partner_id: partnerId,
  method,
  currency: accountCurrency,
  account_masked: z
    .string()
    .nullable()
    .describe('The account, such as `DE89…3000` or `a***@blog.example`. Null for the method `other`.'),
  country: z
    .string()
    .nullable()
    .describe('Country of the address, as an ISO 3166-1 code of two letters. Null without an address.'),
  has_tax_id: z.boolean().describe('Whether the partner has entered a tax number.'),
  updated_at: updatedAt,
});
