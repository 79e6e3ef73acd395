import { refundContract } from '../money/refund-contract.ts';
import { parkedRefundContract } from '../stripe/parked-refund-contract.ts';
import { webhookAndApiContract } from '../stripe/webhook-and-api-contract.ts';
import { webhookCollisionContract } from '../stripe/webhook-collision-contract.ts';
import { sqliteKinds } from '../support/engine-kinds.ts';
import { saleBatchProperty } from './sale-batch-property.ts';
import { saleContract } from './sale-contract.ts';
import { transactionIdContract } from './transaction-id-contract.ts';

for (const [kind, open] of Object.entries(sqliteKinds)) {
  transactionIdContract(kind, open);

  // Other files run these contracts with the default.
  const inWorkspaces = `${kind}, with transaction ids that are unique in their workspace`;
  const options = { transactionIds: 'workspace' } as const;
  saleContract(inWorkspaces, open, options);
  refundContract(inWorkspaces, open, options);
  parkedRefundContract(inWorkspaces, open, options);
  webhookAndApiContract(inWorkspaces, open, options);
  webhookCollisionContract(inWorkspaces, open, options);
  saleBatchProperty(inWorkspaces, open, { short: 5, long: 500 }, options);
}
