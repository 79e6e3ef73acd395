import type { JSX } from 'preact';
import * as messages from '#messages/payout-batches.ts';
import type { PayoutBatch } from '../../api/types.ts';
import { Badge } from '../../ui/state.tsx';

/** The number of payouts of a batch with each result. */
export function Results({
  batch: { sent, paid, failed, cancelled, unclear },
}: {
  batch: PayoutBatch;
}): JSX.Element {
  return (
    <span class="row">
      {sent > unclear && <Badge tone="warn">{messages.open(sent - unclear)}</Badge>}
      {unclear > 0 && <Badge tone="bad">{messages.unclear(unclear)}</Badge>}
      {paid > 0 && <Badge tone="good">{messages.paid(paid)}</Badge>}
      {failed > 0 && <Badge tone="bad">{messages.failed(failed)}</Badge>}
      {cancelled > 0 && <Badge>{messages.cancelled(cancelled)}</Badge>}
    </span>
  );
}
