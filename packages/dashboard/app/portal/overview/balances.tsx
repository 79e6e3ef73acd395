import type { JSX } from 'preact';
import * as common from '#messages/common.ts';
import * as messages from '#messages/portal-overview.ts';
import type { PortalBalance } from '../../api/types.ts';
import { ErrorNotice, Skeleton } from '../../ui/state.tsx';
import { Money } from '../../ui/values.tsx';

type Part = 'pending_cents' | 'on_hold_cents' | 'payable_cents' | 'in_payout_cents' | 'paid_cents';

const PARTS: readonly { readonly name: Part; readonly text: string; readonly hint: string }[] = [
  { name: 'pending_cents', text: messages.waiting, hint: messages.waitingHint },
  { name: 'on_hold_cents', text: messages.onHold, hint: messages.onHoldHint },
  { name: 'payable_cents', text: common.payable, hint: messages.payableHint },
  { name: 'in_payout_cents', text: messages.inPayout, hint: messages.inPayoutHint },
  { name: 'paid_cents', text: common.statuses.paid, hint: messages.paidHint },
];

/** The balances of the partner and the amounts paid so far, in a row for each currency. */
export function Balances({
  rows,
  error,
  onRetry,
  currency,
}: {
  rows: readonly PortalBalance[] | undefined;
  error: Error | null;
  onRetry: () => void;
  currency: string;
}): JSX.Element {
  if (error) return <ErrorNotice error={error} onRetry={onRetry} />;
  const isSeveral = (rows?.length ?? 0) > 1;
  const shown = rows?.length === 0 ? [undefined] : (rows ?? [undefined]);
  return (
    <section aria-labelledby="balance" aria-busy={rows === undefined}>
      <h2 id="balance" class="section-title">
        {messages.balance}
      </h2>
      <div class="stack tight">
        {shown.map((row) => (
          <dl
            key={row?.currency}
            class="measures parts"
            aria-label={messages.balanceIn(row?.currency ?? currency)}
          >
            {PARTS.map(({ name, text, hint }) => (
              <div key={name} class="measure">
                <dt class="quiet" title={hint}>
                  {text}
                  {isSeveral && row && ` · ${row.currency}`}
                </dt>
                <dd class="value">
                  {rows === undefined ? (
                    <Skeleton width="72px" height="20px" />
                  ) : (
                    <Money cents={row?.[name] ?? 0} currency={row?.currency ?? currency} />
                  )}
                </dd>
              </div>
            ))}
          </dl>
        ))}
      </div>
    </section>
  );
}
