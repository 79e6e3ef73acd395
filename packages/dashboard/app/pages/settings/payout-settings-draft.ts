import type { UpdatePayoutSettingsRequest } from '@affkit/protocol';
import type { PayoutSettings } from '../../api/types.ts';
import { parseMoney, toInput } from '../../format/amount-input.ts';

export interface PayoutSettingsDraft {
  readonly minimum: string;
  /** The day of the month, or empty. */
  readonly day: string;
  readonly name: string;
  readonly iban: string;
  readonly bic: string;
}

/** Returns the stored settings as a draft. The stored IBAN is secret, so the field is empty. */
export function payoutDraftOf(
  { min_payout_cents, schedule_day, debtor }: PayoutSettings,
  currency: string,
): PayoutSettingsDraft {
  return {
    minimum: min_payout_cents === null ? '' : toInput(min_payout_cents, currency),
    day: String(schedule_day ?? ''),
    name: debtor?.name ?? '',
    iban: '',
    bic: debtor?.bic ?? '',
  };
}

export type PayoutSettingsError = 'minimum' | 'name' | 'iban';

/**
 * Compares the draft with the stored settings.
 * @returns the request body, and the fields that are not valid; the body contains only changed settings, so that it
 * does not overwrite the changes of another user
 */
export function payoutSettingsChange(
  draft: PayoutSettingsDraft,
  stored: PayoutSettings,
  currency: string,
): { readonly body: UpdatePayoutSettingsRequest; readonly errors: readonly PayoutSettingsError[] } {
  const before = payoutDraftOf(stored, currency);
  const cents = draft.minimum.trim() === '' ? null : (parseMoney(draft.minimum, currency) ?? 0);
  const name = draft.name.trim();
  const iban = draft.iban.trim();
  // The server stores a BIC in this form.
  const bic = draft.bic.replaceAll(' ', '').toUpperCase();
  const isRemoved = name === '' && iban === '' && bic === '';
  const hasNewAccount = iban !== '' || name !== before.name || bic !== before.bic;
  const isIncomplete = hasNewAccount && !isRemoved;
  return {
    body: {
      ...(cents !== stored.min_payout_cents && { min_payout_cents: cents }),
      ...(draft.day !== before.day && { schedule_day: draft.day === '' ? null : Number(draft.day) }),
      ...(hasNewAccount && { debtor: isRemoved ? null : { name, iban, ...(bic !== '' && { bic }) } }),
    },
    errors: [
      ...(cents === 0 ? (['minimum'] as const) : []),
      ...(isIncomplete && name === '' ? (['name'] as const) : []),
      ...(isIncomplete && iban === '' ? (['iban'] as const) : []),
    ],
  };
}
