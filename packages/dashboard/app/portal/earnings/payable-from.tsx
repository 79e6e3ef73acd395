import type { ComponentChild } from 'preact';
import * as messages from '#messages/portal-earnings.ts';
import type { PortalCommission } from '../../api/types.ts';
import { Time } from '../../ui/values.tsx';

/** When a commission on hold becomes payable. */
export function PayableFrom({
  commission: { disputed, needs_approval, releasable_at },
}: {
  commission: PortalCommission;
}): ComponentChild {
  if (disputed) return messages.afterDispute;
  return needs_approval ? messages.afterReview : <Time at={releasable_at} dateOnly />;
}
