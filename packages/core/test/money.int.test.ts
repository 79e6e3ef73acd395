import { commissionContract } from './commission-contract.ts';
import { postgresKinds } from './engine-kinds.ts';
import { paperExampleContract } from './paper-example-contract.ts';
import { refundContract } from './refund-contract.ts';
import { saleContract } from './sale-contract.ts';

for (const [kind, open] of Object.entries(postgresKinds)) {
  saleContract(kind, open);
  commissionContract(kind, open);
  refundContract(kind, open);
  paperExampleContract(kind, open);
}
