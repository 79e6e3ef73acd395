import type { JSX } from 'preact';
import * as messages from '#messages/why.tsx';
import type { Trace } from '../../api/types.ts';
import { formatDate } from '../../format/time.ts';
import { happenedAt, numberIn, type SaleDecision } from './trace.ts';

const DAY_MS = 86_400_000;

/**
 * Shows the attribution window as a ruler. The click is at its start, and the sale is inside or after the
 * window.
 */
export function WindowRuler({
  decision: { verdict, sale },
  customer,
}: {
  decision: Pick<SaleDecision, 'sale' | 'verdict'>;
  customer: Trace['customer'];
}): JSX.Element | null {
  const windowDays = verdict ? numberIn(verdict.detail, 'window_days') : null;
  const days = verdict ? numberIn(verdict.detail, 'days_since_click') : null;
  if (windowDays === null || days === null) return null;
  const isInside = days <= windowDays;
  // The ruler ends where the window ends or, if the sale is later, shortly after the sale.
  const span = isInside ? windowDays : days * 1.04;
  const saleAt = Date.parse(happenedAt(sale));
  const lastClickAt = Date.parse(customer.last_click_at ?? '');
  // If the customer clicked again after the sale, or belongs to another partner, the time of the click is estimated
  // from `days`, which is rounded.
  const clickAt = lastClickAt <= saleAt ? lastClickAt : saleAt - days * DAY_MS;
  const place = (day: number) => `${(day / span) * 100}%`;
  return (
    <section class="card" aria-labelledby="window">
      <h2 id="window">{messages.window}</h2>
      <div
        class="ruler"
        role="img"
        aria-label={(isInside ? messages.saleInWindow : messages.saleTooLate)(days, windowDays)}
      >
        <div class="ruler-window" style={{ width: place(windowDays) }} />
        <div class={isInside ? 'ruler-sale' : 'ruler-sale late'} style={{ left: place(days) }}>
          <span class={days > span / 2 ? 'before' : undefined}>
            {(isInside ? messages.saleOnDay : messages.lateSaleOnDay)(days)}
          </span>
        </div>
      </div>
      <div class="row apart quiet small ruler-ends" aria-hidden="true" style={{ width: place(windowDays) }}>
        <span>{messages.clickOn(formatDate(clickAt))}</span>
        <span>{messages.windowEnds(formatDate(clickAt + windowDays * DAY_MS))}</span>
      </div>
    </section>
  );
}
