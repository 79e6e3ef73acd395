import type { PayoutDetails } from '../domain/payout-details.ts';
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

/** Decrypts payout details. @returns null when they cannot be decrypted, as after a loss of the service's secret */
export function openPayoutDetails(
  runtime: Pick<Runtime, 'secret'>,
  { partner_id, sealed }: Pick<SealedPayoutDetails, 'partner_id' | 'sealed'>,
): PayoutDetails | null {
  const text = openSecret(runtime, 'payout-details', ownerOf(partner_id), sealed);
  // Only `sealPayoutDetails` writes this text.
  return text === null ? null : (JSON.parse(text) as PayoutDetails);
}

function ownerOf(partnerId: number): string {
  return `partner ${partnerId}`;
}
