import { engineKinds } from '../support/engine-kinds.ts';
import { disputeContract } from './dispute-contract.ts';
import { parkedRefundContract } from './parked-refund-contract.ts';
import { paymentDetailsContract } from './payment-details-contract.ts';
import { paymentSourceContract } from './payment-source-contract.ts';
import { processorConnectionContract } from './processor-connection-contract.ts';
import { refundEventContract } from './refund-event-contract.ts';
import { webhookRefundContract } from './webhook-refund-contract.ts';
import { webhookSaleContract } from './webhook-sale-contract.ts';
import { webhookTraceContract } from './webhook-trace-contract.ts';

for (const [kind, open] of Object.entries(engineKinds)) {
  paymentDetailsContract(kind, open);
  paymentSourceContract(kind, open);
  processorConnectionContract(kind, open);
  webhookRefundContract(kind, open);
  refundEventContract(kind, open);
  parkedRefundContract(kind, open);
  disputeContract(kind, open);
  webhookSaleContract(kind, open);
  webhookTraceContract(kind, open);
}
