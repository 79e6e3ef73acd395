import { EMAIL_CATEGORIES, type EmailCategory } from '@affkit/protocol';
import { DAY_MS } from '../domain/calendar.ts';
import type { Runtime } from '../runtime.ts';
import { openSecret, sealSecret } from './seal.ts';

type LinkRuntime = Pick<Runtime, 'secret' | 'randomBytes'>;

/** How long the link to confirm an address works. */
export const CONFIRMATION_MS: number = 7 * DAY_MS;

/** The address of an applicant, to be confirmed by its owner. */
export interface AddressToConfirm {
  readonly programId: number;
  readonly partnerId: number;
  readonly email: string;
  readonly appliedAt: number;
}

/** The emails that an address turns off. */
export interface OptOut {
  readonly category: EmailCategory;
  readonly recipient: string;
}

/** Makes the token of a link. It is encrypted, because URLs are in logs, which must not contain the address. */
export function sealConfirmationToken(runtime: LinkRuntime, address: AddressToConfirm): string {
  const { programId, partnerId, email, appliedAt } = address;
  return seal(runtime, 'confirm-address', [programId, partnerId, email, appliedAt]);
}

/** @returns null if the service did not make the token */
export function openConfirmationToken(
  runtime: Pick<Runtime, 'secret'>,
  token: string,
): AddressToConfirm | null {
  const opened = open<[number, number, string, number]>(runtime, 'confirm-address', token);
  if (opened === null) return null;
  const [programId, partnerId, email, appliedAt] = opened;
  return { programId, partnerId, email, appliedAt };
}

/** Makes the token of a link that turns emails off, without an end, for this address only. */
export function sealUnsubscribeToken(runtime: LinkRuntime, { category, recipient }: OptOut): string {
  return seal(runtime, 'unsubscribe', [category, recipient]);
}

/** @returns null if the service did not make the token */
export function openUnsubscribeToken(runtime: Pick<Runtime, 'secret'>, token: string): OptOut | null {
  const opened = open<[string, string]>(runtime, 'unsubscribe', token);
  const category = EMAIL_CATEGORIES.find((each) => each === opened?.[0]);
  return opened === null || category === undefined ? null : { category, recipient: opened[1] };
}

function seal(runtime: LinkRuntime, purpose: string, parts: readonly (string | number)[]): string {
  return sealSecret(runtime, 'email-link', purpose, JSON.stringify(parts));
}

/** The tag of the encryption proves that `seal` wrote the parts for this purpose. */
function open<Parts>(runtime: Pick<Runtime, 'secret'>, purpose: string, token: string): Parts | null {
  const text = openSecret(runtime, 'email-link', purpose, token);
  return text === null ? null : (JSON.parse(text) as Parts);
}
