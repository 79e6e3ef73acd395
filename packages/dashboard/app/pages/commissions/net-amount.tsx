import type { JSX } from 'preact';
import * as messages from '#messages/commissions.tsx';
import type { Commission } from '../../api/types.ts';
import { Money } from '../../ui/values.tsx';

/** What is left of the commission after refunds and adjustments, with the first amount below when it differs. */
export function NetAmount({ commission }: { commission: Commission }): JSX.Element {
  const { amount_cents, deducted_cents, adjusted_cents, currency } = commission;
  const net = amount_cents - deducted_cents + adjusted_cents;
  return (
    <>
      <Money cents={net} currency={currency} />
      {net !== amount_cents && (
        <span class="sub">{messages.netOf(<Money cents={amount_cents} currency={currency} />)}</span>
      )}
    </>
  );
}
