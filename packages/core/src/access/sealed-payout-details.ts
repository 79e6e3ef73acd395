import type { PayoutDetails } from '../domain/payout-details.ts';
import type { Debtor } from '../domain/payout-files/payout-file.ts';
import type { Runtime } from '../runtime.ts';
import type { SealedPayoutDetails } from '../storage/programs/payout-details.ts';
import { openSecret, sealSecret } from './seal.ts';

/** Encrypts a partner's payout details for storage. */
export function sealPayoutDetails(
  runtime: Pick<Runtime, 'secret' | 'randomBytes'>,
  partnerId: number,
  details: PayoutDetails,
): string {
  return sealSecret(runtime, 'payout-details', ownerOf(partnerId), JSON.stringify(details));
}

/**
 * Decrypts payout details.
 * @returns null when they cannot be decrypted, for example because the service's secret was lost
 */
export function openPayoutDetails(
  runtime: Pick<Runtime, 'secret'>,
  { partner_id, sealed }: Pick<SealedPayoutDetails, 'partner_id' | 'sealed'>,
): PayoutDetails | null {
  const text = openSecret(runtime, 'payout-details', ownerOf(partner_id), sealed);
  if (text === null) return null;
  // The cast is safe because only `sealPayoutDetails` writes this text. Earlier versions did not store
  // `account_holder_type`.
  return { account_holder_type: null, ...(JSON.parse(text) as Omit<PayoutDetails, 'account_holder_type'>) };
}

function ownerOf(partnerId: number): string {
  return `partner ${partnerId}`;
}

/** The part of payout details that a receipt shows. */
export interface Payee extends Pick<PayoutDetails, 'tax_name' | 'tax_id' | 'address'> {
  /** Null if it is unknown how the payout was paid. */
  readonly method: PayoutDetails['method'] | null;
}

/**
 * Decrypts a partner's payout details, and encrypts only the part that a receipt shows.
 * @returns null when the details cannot be decrypted
 */
export function sealPayee(
  runtime: Pick<Runtime, 'secret' | 'randomBytes'>,
  details: Pick<SealedPayoutDetails, 'partner_id' | 'sealed'>,
): string | null {
  const opened = openPayoutDetails(runtime, details);
  if (opened === null) return null;
  const { method, tax_name, tax_id, address } = opened;
  const payee: Payee = { method, tax_name, tax_id, address };
  return sealSecret(runtime, 'payout-details', ownerOf(details.partner_id), JSON.stringify(payee));
}

/** Decrypts the payee of a payout. @returns null when there is none, or when it cannot be decrypted */
export function openPayee(
  runtime: Pick<Runtime, 'secret'>,
  { partner_id, sealed_payee }: { readonly partner_id: number; readonly sealed_payee: string | null },
): Payee | null {
  const text =
    sealed_payee === null ? null : openSecret(runtime, 'payout-details', ownerOf(partner_id), sealed_payee);
  // The cast is safe because only `sealPayee` writes this text.
  return text === null ? null : (JSON.parse(text) as Payee);
}

/** Encrypts the account that pays the partners of a program. */
export function sealDebtor(
  runtime: Pick<Runtime, 'secret' | 'randomBytes'>,
  programId: number,
  debtor: Debtor,
): string {
  return sealSecret(runtime, 'payout-details', debtorOwnerOf(programId), JSON.stringify(debtor));
}

/**
 * Decrypts the account that pays the partners of a program. @returns null when there is none, or when it
 * cannot be decrypted
 */
export function openDebtor(
  runtime: Pick<Runtime, 'secret'>,
  { program_id, sealed_debtor }: { readonly program_id: number; readonly sealed_debtor: string | null },
): Debtor | null {
  const text =
    sealed_debtor === null
      ? null
      : openSecret(runtime, 'payout-details', debtorOwnerOf(program_id), sealed_debtor);
  // The cast is safe because only `sealDebtor` writes this text.
  return text === null ? null : (JSON.parse(text) as Debtor);
}

function debtorOwnerOf(programId: number): string {
  return `program ${programId}`;
}
