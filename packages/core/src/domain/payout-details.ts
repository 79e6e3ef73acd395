import type { AccountHolderType, PayoutMethod } from '@affkit/protocol';
import { maskEmail } from './email.ts';

/** A postal address. `country` is an ISO 3166-1 code. */
interface PostalAddress {
  readonly line1: string;
  readonly line2: string | null;
  readonly postal_code: string | null;
  readonly city: string;
  readonly region: string | null;
  readonly country: string;
}

/**
 * The account to which a partner is paid. The API and the stored JSON use the same field names.
 */
export interface PayoutDetails {
  readonly method: PayoutMethod;
  /** Null for an account that accepts every currency. */
  readonly currency: string | null;
  readonly email: string | null;
  /** Without spaces. */
  readonly iban: string | null;
  readonly bic: string | null;
  readonly account_holder: string | null;
  /** Null means that the account holder is a person. */
  readonly account_holder_type: AccountHolderType | null;
  readonly stripe_account_id: string | null;
  readonly instructions: string | null;
  readonly tax_name: string | null;
  readonly tax_id: string | null;
  readonly address: PostalAddress | null;
}

type OrAbsent<T> = { readonly [Name in keyof T]?: T[Name] | undefined };

/** The payout details in a request. Fields without a value are absent. */
type SentDetails = OrAbsent<Omit<PayoutDetails, 'address' | 'method'>> &
  Pick<PayoutDetails, 'method'> & {
    readonly address?:
      | (OrAbsent<PostalAddress> & Pick<PostalAddress, 'line1' | 'city' | 'country'>)
      | undefined;
  };

/** Returns the details with null for each absent field. */
export function toPayoutDetails(sent: SentDetails): PayoutDetails {
  const { address } = sent;
  return {
    method: sent.method,
    currency: sent.currency ?? null,
    email: sent.email ?? null,
    iban: sent.iban ?? null,
    bic: sent.bic ?? null,
    account_holder: sent.account_holder ?? null,
    account_holder_type: sent.account_holder_type ?? null,
    stripe_account_id: sent.stripe_account_id ?? null,
    instructions: sent.instructions ?? null,
    tax_name: sent.tax_name ?? null,
    tax_id: sent.tax_id ?? null,
    address: address
      ? {
          line1: address.line1,
          line2: address.line2 ?? null,
          postal_code: address.postal_code ?? null,
          city: address.city,
          region: address.region ?? null,
          country: address.country,
        }
      : null,
  };
}

export function changedDetails(before: PayoutDetails | null, after: PayoutDetails): (keyof PayoutDetails)[] {
  const names = Object.keys(after) as (keyof PayoutDetails)[];
  return names.filter((name) => JSON.stringify(before?.[name] ?? null) !== JSON.stringify(after[name]));
}

/**
 * Masks the account so that its owner can recognize it, such as `DE89…3000`. Null if the details contain no IBAN,
 * no Stripe account id, and no email address.
 */
export function maskAccount({ iban, email, stripe_account_id }: PayoutDetails): string | null {
  const number = iban ?? stripe_account_id;
  if (number !== null) return maskAccountNumber(number);
  return email === null ? null : maskEmail(email);
}

export function maskAccountNumber(number: string): string {
  return `${number.slice(0, 4)}…${number.slice(-4)}`;
}
