import { memoryKinds } from '../support/engine-kinds.ts';
import { clickContract } from './click-contract.ts';
import { clickCookieContract } from './click-cookie-contract.ts';
import { leadContract } from './lead-contract.ts';
import { originContract } from './origin-contract.ts';

for (const [kind, open] of Object.entries(memoryKinds)) {
  clickContract(kind, open);
  clickCookieContract(kind, open);
  leadContract(kind, open);
  originContract(kind, open);
}
