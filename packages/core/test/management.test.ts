import { describe } from 'vitest';
import { accessContract } from './access-contract.ts';
import { auditContract } from './audit-contract.ts';
import { sqliteKinds } from './engine-kinds.ts';
import { identityContract } from './identity-contract.ts';
import { keyReachContract } from './key-reach-contract.ts';
import { ownNotificationContract } from './own-notification-contract.ts';
import { ownPartnerContract } from './own-partner-contract.ts';
import { ownPayoutContract } from './own-payout-contract.ts';
import { partnerContract } from './partner-contract.ts';
import { peopleContract } from './people-contract.ts';
import { programContract } from './program-contract.ts';
import { firstOwnerContract, signInContract } from './sign-in-contract.ts';

describe.each(Object.entries(sqliteKinds))('on %s', (_kind, open) => {
  describe('signing in', () => signInContract(open));
  describe('the first owner', () => firstOwnerContract(open));
  describe('access', () => accessContract(open));
  describe('the audit log', () => auditContract(open));
  describe('an outside identity', () => identityContract(open));
  describe('people', () => peopleContract(open));
  describe('programs', () => programContract(open));
  describe('partners', () => partnerContract(open));
  describe('a limited key', () => keyReachContract(open));
  describe('what a partner sees', () => ownPartnerContract(open));
  describe('what a partner is paid', () => ownPayoutContract(open));
  describe('what a partner is told', () => ownNotificationContract(open));
});
