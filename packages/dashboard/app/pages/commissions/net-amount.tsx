import type { JSX } from 'preact';
import * as messages from '#messages/commissions.tsx';
import type { Commission } from '../../api/types.ts';
import { formatList } from '../../format/list.ts';
import { formatMoney } from '../../format/money.ts';
import { Money } from '../../ui/values.tsx';

type CommissionSums = Pick<Commission, 'amount_cents' | 'deducted_cents' | 'adjusted_cents' | 'currency'>;

/** Returns the amount after refunds and adjustments. */
function netCentsOf({ amount_cents, deducted_cents, adjusted_cents }: CommissionSums): number {
  return amount_cents - deducted_cents + adjusted_cents;
}

/** Formats the amounts after refunds and adjustments, summed up by currency, such as `$120.00 and €14.50`. */
export function describeNetSums(rows: readonly CommissionSums[]): string {
  const sums = new Map<string, number>();
  for (const row of rows) sums.set(row.currency, (sums.get(row.currency) ?? 0) + netCentsOf(row));
  return formatList([...sums].map(([currency, cents]) => formatMoney(cents, currency)));
}

/**
 * The amount of a commission after refunds and adjustments. If the original amount differs, it is shown
 * below.
 */
export function NetAmount({ commission }: { commission: Commission }): JSX.Element {
  const { amount_cents, currency } = commission;
  const net = netCentsOf(commission);
  return (
    <>
      <Money cents={net} currency={currency} />
      {net !== amount_cents && (
        <span class="sub">{messages.netOf(<Money cents={amount_cents} currency={currency} />)}</span>
      )}
    </>
  );
}
