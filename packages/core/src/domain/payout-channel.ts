import type { PayoutFileChannel } from '@affkit/protocol';

/** How payouts of a batch are sent. */
export type PayoutChannel = PayoutFileChannel;
