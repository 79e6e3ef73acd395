import type { UseQueryResult } from '@tanstack/preact-query';
import { useRoute } from 'preact-iso';
import { PORTAL_PAYOUTS } from '../../api/portal-requests.ts';
import type { ItemReply, PortalPayoutDetail } from '../../api/types.ts';
import { useApi } from '../../api/use-api.ts';

/** The payout that the URL names. It is undefined until it has arrived. */
export function usePayout(): {
  readonly id: number;
  readonly payout: PortalPayoutDetail | undefined;
  readonly reply: UseQueryResult<ItemReply<PortalPayoutDetail>, Error>;
} {
  const id = useRoute().params['payoutId'] ?? '';
  const reply = useApi<ItemReply<PortalPayoutDetail>>(`${PORTAL_PAYOUTS}/${id}`);
  // The reply contains the previous payout until the requested payout has arrived.
  const payout = String(reply.data?.data.id) === id ? reply.data?.data : undefined;
  return { id: Number(id), payout, reply };
}
