import type { JSX } from 'preact';
import * as messages from '#messages/commissions.ts';
import type { Commission } from '../../api/types.ts';
import { Badge, Status } from '../../ui/state.tsx';

/** The status of a commission, and whether it is disputed or needs an approval. These badges replace `pending`. */
export function CommissionStatus({
  commission: { status, disputed, needs_approval },
}: {
  commission: Pick<Commission, 'status' | 'disputed' | 'needs_approval'>;
}): JSX.Element {
  const isHeld = disputed || needs_approval;
  return (
    <span class="row">
      {(status !== 'pending' || !isHeld) && <Status status={status} pending="info" />}
      {isHeld && <Badge tone="warn">{disputed ? messages.disputed : messages.needsApproval}</Badge>}
    </span>
  );
}
