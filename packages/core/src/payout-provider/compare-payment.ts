import { formatMoney } from '../domain/money.ts';
import type { ProviderPayment } from './provider.ts';

/** What Affkit has sent to a payment service. */
interface SentPayment {
  readonly key: string;
  readonly amountCents: number;
  readonly currency: string;
}

/** Compares a payment with what was sent. @returns how it differs, or null */
export function comparePayment(payment: ProviderPayment | null, sent: SentPayment): string | null {
  if (payment === null) return null;
  const { key, amountCents, currency } = payment;
  if (key !== null && key !== sent.key) return 'it has the idempotency key of another payment';
  if (currency !== null && currency !== sent.currency) return `it is in ${currency}, not in ${sent.currency}`;
  if (amountCents === null || amountCents === sent.amountCents) return null;
  const [reported, expected] = [amountCents, sent.amountCents].map((cents) =>
    formatMoney(cents, sent.currency),
  );
  return `its amount is ${reported}, not ${expected}`;
}
