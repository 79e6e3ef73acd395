import { send } from './client.ts';
import type { PayoutPreview } from './types.ts';

/** Requests only the totals of the payout preview, because the preview can have thousands of rows. */
const SUMS = { limit: 0 };

/** Returns the query for the sums that are payable now. @param api the path of the program in the API */
export function payableNow(api: string) {
  const path = `${api}/payouts/preview`;
  return { queryKey: [path, SUMS], queryFn: () => send<PayoutPreview>('POST', path, SUMS) };
}
