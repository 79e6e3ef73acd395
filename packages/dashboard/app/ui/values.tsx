import type { JSX } from 'preact';
import { formatMoney } from '../format/money.ts';
import { formatDate, formatLocal, formatTime } from '../format/time.ts';

export function Money({ cents, currency }: { cents: number; currency: string }): JSX.Element {
  return <span class="money">{formatMoney(cents, currency)}</span>;
}

/** Shows an instant in UTC, with the user's local time as a tooltip. Shows a dash if `at` is null. */
export function Time({ at, dateOnly = false }: { at: string | null; dateOnly?: boolean }): JSX.Element {
  if (at === null) return <span class="quiet">–</span>;
  return (
    <time
      dateTime={at}
      onPointerEnter={({ currentTarget }) => {
        currentTarget.title = formatLocal(at);
      }}
    >
      {dateOnly ? formatDate(at) : formatTime(at)}
    </time>
  );
}

export interface Amount {
  readonly currency: string;
  readonly cents: number;
}

/** Returns the amounts that are not 0, those in `currency` first. */
export function shownAmounts(amounts: readonly Amount[], currency: string): readonly Amount[] {
  return amounts
    .filter(({ cents }) => cents !== 0)
    .sort((a, b) => Number(b.currency === currency) - Number(a.currency === currency));
}

/** Shows the amounts that are not 0, those in `currency` first. If there are none, shows 0 in `currency`. */
export function Amounts({
  amounts,
  currency,
}: {
  amounts: readonly Amount[];
  currency: string;
}): JSX.Element {
  const [first = { currency, cents: 0 }, ...others] = shownAmounts(amounts, currency);
  return (
    <>
      <Money cents={first.cents} currency={first.currency} />
      {others.map((amount) => (
        <span key={amount.currency} class="sub">
          <Money cents={amount.cents} currency={amount.currency} />
        </span>
      ))}
    </>
  );
}
