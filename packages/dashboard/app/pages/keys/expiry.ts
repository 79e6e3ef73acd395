const DAY_MS = 86_400_000;

export const EXPIRY_CHOICES = [
  { value: '30', text: 'In 30 days' },
  { value: '90', text: 'In 90 days' },
  { value: '365', text: 'In one year' },
  { value: 'date', text: 'On a date' },
  { value: 'never', text: 'Never' },
] as const;

export type Expiry = (typeof EXPIRY_CHOICES)[number]['value'];

/**
 * When a new key expires.
 * @param date the chosen date, as `2026-11-03`
 * @returns an instant, null for never, undefined if the date is not in the future
 */
export function expiresAt(expiry: Expiry, date: string, now: number = Date.now()): string | null | undefined {
  if (expiry === 'never') return null;
  const at = expiry === 'date' ? Date.parse(date) : now + Number(expiry) * DAY_MS;
  return at > now ? new Date(at).toISOString() : undefined;
}
