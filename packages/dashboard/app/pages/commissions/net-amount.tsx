import type { JSX } from 'preact';
import * as messages from '#messages/net-amount.tsx';
import { formatList } from '../../format/list.ts';
import { formatMoney } from '../../format/money.ts';
import { type CommissionSums, netCentsOf, netSumsOf } from '../../ui/net-sums.ts';
import { Money } from '../../ui/values.tsx';

/** Formats the amounts after refunds and adjustments, summed up by currency, such as `$120.00 and €14.50`. */
export function describeNetSums(rows: readonly CommissionSums[]): string {
  return formatList(netSumsOf(rows).map(({ cents, currency }) => formatMoney(cents, currency)));
}

/**
 * The amount of a commission after refunds and adjustments. If the original amount differs, it is shown
 * below.
 */
export function NetAmount({ commission }: { commission: CommissionSums }): JSX.Element {
  const { amount_cents, currency } = commission;
  const net = netCentsOf(commission);
  const original = <Money cents={amount_cents} currency={currency} />;
  return (
    <>
      <Money cents={net} currency={currency} />
      {net !== amount_cents && (
        <span class="sub">{(net > amount_cents ? messages.raisedFrom : messages.netOf)(original)}</span>
      )}
    </>
  );
}
