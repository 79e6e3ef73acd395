import type { PAYOUT_CHANNELS, PayoutFileChannel, PayoutProviderName } from '@affkit/protocol';

/** How the payouts of a batch are sent: in a file, or through a payout provider. */
export type PayoutChannel = (typeof PAYOUT_CHANNELS)[number];

export function isFileChannel(channel: PayoutChannel): channel is PayoutFileChannel {
  return channel.startsWith('file:');
}

export type ProviderChannel = Exclude<PayoutChannel, PayoutFileChannel>;

export function providerOf(channel: ProviderChannel): PayoutProviderName {
  return channel === 'provider:paypal' ? 'paypal' : 'stripe';
}
