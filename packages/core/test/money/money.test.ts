import { memoryKinds } from '../support/engine-kinds.ts';
import { commissionContract } from './commission-contract.ts';
import { moneyGuideContract } from './money-guide-contract.ts';
import { refundContract } from './refund-contract.ts';

for (const [kind, open] of Object.entries(memoryKinds)) {
  commissionContract(kind, open);
  refundContract(kind, open);
  moneyGuideContract(kind, open);
}
