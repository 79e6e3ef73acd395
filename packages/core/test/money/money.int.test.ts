import { engineKinds } from '../support/engine-kinds.ts';
import { claimedKeyContract } from '../tracking/claimed-key-contract.ts';
import { eventAgeContract } from '../tracking/event-age-contract.ts';
import { saleContract } from '../tracking/sale-contract.ts';
import { saleInputContract } from '../tracking/sale-input-contract.ts';
import { commissionBaseContract } from './commission-base-contract.ts';
import { commissionContract } from './commission-contract.ts';
import { moneyGuideContract } from './money-guide-contract.ts';
import { refundContract } from './refund-contract.ts';
import { saleMinimumContract } from './sale-minimum-contract.ts';
import { severalRefundsContract } from './several-refunds-contract.ts';

for (const [kind, open] of Object.entries(engineKinds)) {
  saleContract(kind, open);
  saleInputContract(kind, open);
  eventAgeContract(kind, open);
  commissionBaseContract(kind, open);
  commissionContract(kind, open);
  refundContract(kind, open);
  severalRefundsContract(kind, open);
  saleMinimumContract(kind, open);
  claimedKeyContract(kind, open);
  moneyGuideContract(kind, open);
}
