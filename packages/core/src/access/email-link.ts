import { EMAIL_CATEGORIES, type EmailCategory } from '@affkit/protocol';
import { DAY_MS } from '../domain/calendar.ts';
import type { Runtime } from '../runtime.ts';
import { openSecret, sealSecret } from './seal.ts';

type LinkRuntime = Pick<Runtime, 'secret' | 'randomBytes'>;

/** The lifetime of a link that confirms an email address. */
export const CONFIRMATION_MS: number = 7 * DAY_MS;

/** The email address in an application to a program. The owner of the address must confirm it. */
export interface AddressToConfirm {
  readonly programId: number;
  readonly partnerId: number;
  readonly email: string;
  readonly appliedAt: number;
}

/** A category of emails that a recipient turns off. */
export interface OptOut {
  readonly category: EmailCategory;
  readonly recipient: string;
}

/**
 * Creates the token of a confirmation link. The token contains the email address. The token is encrypted, because
 * logs contain URLs but must not contain email addresses.
 */
export function sealConfirmationToken(runtime: LinkRuntime, address: AddressToConfirm): string {
  const { programId, partnerId, email, appliedAt } = address;
  return seal(runtime, 'confirm-address', [programId, partnerId, email, appliedAt]);
}

/** @returns null if this service did not create the token */
export function openConfirmationToken(
  runtime: Pick<Runtime, 'secret'>,
  token: string,
): AddressToConfirm | null {
  const opened = open<[number, number, string, number]>(runtime, 'confirm-address', token);
  if (opened === null) return null;
  const [programId, partnerId, email, appliedAt] = opened;
  return { programId, partnerId, email, appliedAt };
}

/** Creates the token of an unsubscribe link, for one recipient and one category of emails. The token never expires. */
export function sealUnsubscribeToken(runtime: LinkRuntime, { category, recipient }: OptOut): string {
  return seal(runtime, 'unsubscribe', [category, recipient]);
}

/** @returns null if this service did not create the token */
export function openUnsubscribeToken(runtime: Pick<Runtime, 'secret'>, token: string): OptOut | null {
  const opened = open<[string, string]>(runtime, 'unsubscribe', token);
  const category = EMAIL_CATEGORIES.find((each) => each === opened?.[0]);
  return opened === null || category === undefined ? null : { category, recipient: opened[1] };
}

function seal(runtime: LinkRuntime, purpose: string, parts: readonly (string | number)[]): string {
  return sealSecret(runtime, 'email-link', purpose, JSON.stringify(parts));
}

/** The cast is safe, because `openSecret` decrypts only texts that `seal` encrypted for the same purpose. */
function open<Parts>(runtime: Pick<Runtime, 'secret'>, purpose: string, token: string): Parts | null {
  const text = openSecret(runtime, 'email-link', purpose, token);
  return text === null ? null : (JSON.parse(text) as Parts);
}
