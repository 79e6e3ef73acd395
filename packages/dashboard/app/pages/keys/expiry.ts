import * as messages from '#messages/keys.ts';

const DAY_MS = 86_400_000;

export type KeyExpiry = keyof typeof messages.expiries;

export const EXPIRY_CHOICES = (['30', '90', '365', 'date', 'never'] as const).map((value) => ({
  value,
  text: messages.expiries[value],
}));

/**
 * Returns the time when a new key expires.
 * @param date the chosen date, such as `2026-11-03`
 * @returns an instant, null for never, or undefined if the date is not in the future
 */
export function expiresAt(
  expiry: KeyExpiry,
  date: string,
  now: number = Date.now(),
): string | null | undefined {
  if (expiry === 'never') return null;
  const at = expiry === 'date' ? Date.parse(date) : now + Number(expiry) * DAY_MS;
  return at > now ? new Date(at).toISOString() : undefined;
}
