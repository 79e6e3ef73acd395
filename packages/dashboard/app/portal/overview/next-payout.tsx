import type { JSX } from 'preact';
import * as portal from '#messages/portal.tsx';
import * as messages from '#messages/portal-overview.ts';
import type { PortalBalance, PortalProgram } from '../../api/types.ts';
import { formatMoney } from '../../format/money.ts';
import { formatDate } from '../../format/time.ts';
import { Link } from '../../ui/link.tsx';
import { Skeleton } from '../../ui/state.tsx';
import { Amounts } from '../../ui/values.tsx';

/**
 * The amounts and the date of the next payout, and why the rest of the balance is not paid yet. If no amount reaches
 * the minimum payout, it shows all payable amounts.
 */
export function NextPayout({
  rows,
  program,
}: {
  rows: readonly PortalBalance[] | undefined;
  program: PortalProgram;
}): JSX.Element {
  const payable = rows?.map(({ currency, payable_cents: cents }) => ({ currency, cents })) ?? [];
  // Payouts leave out partners whose enrollment has ended, whatever the amount and the schedule are.
  const isLeftOut = program.status === 'rejected' || program.status === 'banned';
  const minimum = isLeftOut ? null : program.payouts.min_payout_cents;
  const nextAt = isLeftOut ? null : program.payouts.next_at;
  const paidNext = payable.filter(({ cents }) => cents >= (minimum ?? 1));
  return (
    <section class="card" aria-labelledby="next-payout">
      <h2 id="next-payout">{messages.nextPayout}</h2>
      {rows === undefined ? (
        <Skeleton height="64px" />
      ) : (
        <div class="stack tight">
          <p class="amount-next">
            <Amounts amounts={paidNext.length > 0 ? paidNext : payable} currency={program.currency} />
          </p>
          {paidNext.length > 0 ? (
            <p>{(isLeftOut ? messages.notPaidNext : messages.paidByProgram)(program.name)}</p>
          ) : (
            payable.every(({ cents }) => cents <= 0) && <p>{messages.nothingPayable}</p>
          )}
          {nextAt !== null && <p>{messages.plannedFor(formatDate(nextAt))}</p>}
          {rows
            .flatMap((row) => conditionsOf(row, minimum ?? 0))
            .map((text) => (
              <p key={text} class="quiet">
                {text}
              </p>
            ))}
          <p>
            <Link to="/partner/payout-details">{portal.payoutDetails}</Link>
          </p>
        </div>
      )}
    </section>
  );
}

/** Returns texts that explain when the rest of the balance in a currency is paid. */
function conditionsOf(row: PortalBalance, minimum: number): readonly string[] {
  const format = (cents: number) => formatMoney(cents, row.currency);
  const { payable_cents, in_payout_cents, on_hold_cents, pending_cents, next_release_at, to_deduct_cents } =
    row;
  return [
    ...(payable_cents > 0 && payable_cents < minimum
      ? [messages.belowMinimum(format(payable_cents), format(minimum))]
      : []),
    ...(in_payout_cents > 0 ? [messages.onTheWay(format(in_payout_cents))] : []),
    ...(next_release_at !== null
      ? [messages.releasesOn(format(on_hold_cents), formatDate(next_release_at))]
      : []),
    ...(pending_cents > 0 ? [messages.inReview(format(pending_cents))] : []),
    ...(to_deduct_cents > 0 ? [messages.toDeduct(format(to_deduct_cents))] : []),
  ];
}
