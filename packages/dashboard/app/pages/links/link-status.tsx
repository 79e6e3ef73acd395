import type { JSX } from 'preact';
import * as messages from '#messages/links.ts';
import type { Link, Partner } from '../../api/types.ts';
import { Badge, Status } from '../../ui/state.tsx';

/**
 * The status of a link. If its partner is not approved, even an active link records no clicks. In this case, the status
 * of the partner is shown too.
 * @param partner the status of the partner: null if the partner is erased, and undefined while it loads
 */
export function LinkStatus({
  status,
  partner,
}: {
  status: Link['status'];
  partner: Partner['status'] | null | undefined;
}): JSX.Element {
  return (
    <span class="row">
      <Status status={status} />
      {status === 'active' && partner && partner !== 'approved' && (
        <Badge tone={partner === 'pending' ? 'warn' : 'bad'}>{messages.partnerIs[partner]}</Badge>
      )}
    </span>
  );
}
