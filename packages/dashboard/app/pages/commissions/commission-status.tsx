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
  return (
    <span class="row">
      {(status !== 'pending' || !(disputed || needs_approval)) && <Status status={status} />}
      {disputed ? (
        <Badge tone="warn">{messages.disputed}</Badge>
      ) : (
        needs_approval && <Badge tone="info">{messages.needsApproval}</Badge>
      )}
    </span>
  );
}
