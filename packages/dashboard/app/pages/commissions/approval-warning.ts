import * as messages from '#messages/commissions.tsx';
import type { Commission } from '../../api/types.ts';

/** Returns a warning that the approval ends the hold of the commissions. */
export function approvalWarningFor(commissions: readonly Commission[], now: number = Date.now()): string {
  const isOnHold = commissions.some(({ releasable_at }) => Date.parse(releasable_at) > now);
  return isOnHold ? messages.approveOnHold : messages.approveWarning;
}
