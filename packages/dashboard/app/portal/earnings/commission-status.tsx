import type { JSX } from 'preact';
import * as messages from '#messages/portal-earnings.ts';
import type { PortalCommission } from '../../api/types.ts';
import { Badge, Status } from '../../ui/state.tsx';

/** The status of a commission. For a pending commission, the reason why it is not payable yet. */
export function CommissionStatus({
  commission: { status, disputed, needs_approval },
}: {
  commission: PortalCommission;
}): JSX.Element {
  const isHeld = disputed || needs_approval;
  return (
    <span class="row">
      {(status !== 'pending' || !isHeld) && <Status status={status} pending="info" />}
      {isHeld && (
        <Badge tone={disputed ? 'warn' : 'info'}>{disputed ? messages.disputed : messages.inReview}</Badge>
      )}
    </span>
  );
}
