import { describe } from 'vitest';
import { engineKinds } from '../support/engine-kinds.ts';
import { addressConfirmationContract } from './address-confirmation-contract.ts';
import { emailContract } from './email-contract.ts';
import { emailFailureContract } from './email-failure-contract.ts';
import { eventEmailContract } from './event-email-contract.ts';
import { moneyEmailContract } from './money-email-contract.ts';
import { recurringEmailContract } from './recurring-email-contract.ts';
import { testEmailContract } from './test-email-contract.ts';

describe.each(Object.entries(engineKinds))('on %s', (_kind, open) => {
  moneyEmailContract(open);
  emailContract(open);
  eventEmailContract(open);
  testEmailContract(open);
  recurringEmailContract(open);
  emailFailureContract(open);
  describe('the link in an address confirmation', () => addressConfirmationContract(open));
});
