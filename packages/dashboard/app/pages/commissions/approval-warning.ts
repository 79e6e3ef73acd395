import * as messages from '#messages/commissions.ts';
import type { Commission } from '../../api/types.ts';

/** Returns the warning that is shown before an approval. It mentions the hold if a commission is on hold. */
export function approvalWarningFor(commissions: readonly Commission[], now: number = Date.now()): string {
  const isOnHold = commissions.some(({ releasable_at }) => Date.parse(releasable_at) > now);
  return isOnHold ? messages.approveOnHold : messages.approveWarning;
}
