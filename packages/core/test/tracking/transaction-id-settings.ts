import { refundContract } from '../money/refund-contract.ts';
import { parkedRefundContract } from '../stripe/parked-refund-contract.ts';
import { webhookAndApiContract } from '../stripe/webhook-and-api-contract.ts';
import { webhookCollisionContract } from '../stripe/webhook-collision-contract.ts';
import type { OpenEngine } from '../support/engine-kinds.ts';
import { byDepth, type Depth } from '../support/test-depth.ts';
import { saleBatchProperty } from './sale-batch-property.ts';
import { saleContract } from './sale-contract.ts';
import { transactionIdContract } from './transaction-id-contract.ts';

/**
 * Tests transaction ids that are unique in the whole service (the default) or in their workspace. The contracts that
 * look up sales run here with ids that are unique in their workspace. Other files run them with the default.
 * @param batches number of random batches of sales
 * @param isSampled whether `npm test` leaves out the contracts of refunds and webhooks
 */
export function transactionIdSettings(
  kind: string,
  open: OpenEngine,
  batches: Depth<number>,
  isSampled: boolean,
): void {
  transactionIdContract(kind, open);
  const inWorkspaces = `${kind}, with transaction ids that are unique in their workspace`;
  const options = { transactionIds: 'workspace' } as const;
  saleContract(inWorkspaces, open, options);
  saleBatchProperty(inWorkspaces, open, batches, options);
  if (isSampled && byDepth({ short: true, long: false })) return;
  refundContract(inWorkspaces, open, options);
  parkedRefundContract(inWorkspaces, open, options);
  webhookAndApiContract(inWorkspaces, open, options);
  webhookCollisionContract(inWorkspaces, open, options);
}
