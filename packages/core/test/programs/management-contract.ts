import { describe } from 'vitest';
import { accessContract } from '../accounts/access-contract.ts';
import { auditContract } from '../accounts/audit-contract.ts';
import { browserSessionContract } from '../accounts/browser-session-contract.ts';
import { failedSignInContract } from '../accounts/failed-sign-in-contract.ts';
import { foreignPasswordContract } from '../accounts/foreign-password-contract.ts';
import { identityContract } from '../accounts/identity-contract.ts';
import { lateBodyContract } from '../accounts/late-body-contract.ts';
import { membersContract } from '../accounts/members-contract.ts';
import { passwordResetContract } from '../accounts/password-reset-contract.ts';
import { programScopeContract } from '../accounts/program-scope-contract.ts';
import { signInCodeContract } from '../accounts/sign-in-code-contract.ts';
import { firstOwnerContract, signInContract } from '../accounts/sign-in-contract.ts';
import { workspaceCreationContract } from '../accounts/workspace-creation-contract.ts';
import { workspaceNameContract } from '../accounts/workspace-name-contract.ts';
import { partnerPortalContract } from '../reads/partner-portal-contract.ts';
import { portalDataContract } from '../reads/portal-data-contract.ts';
import { portalNotificationContract } from '../reads/portal-notification-contract.ts';
import { portalPayoutContract } from '../reads/portal-payout-contract.ts';
import type { OpenEngine } from '../support/engine-kinds.ts';
import { applicationContract } from './application-contract.ts';
import { applicationSpamContract } from './application-spam-contract.ts';
import { managementInputContract } from './management-input-contract.ts';
import { partnerContract } from './partner-contract.ts';
import { policyContract } from './policy-contract.ts';
import { programContract } from './program-contract.ts';

export function managementContract(open: OpenEngine): void {
  describe('signing in', () => signInContract(open));
  describe('a browser session', () => browserSessionContract(open));
  describe('a sign-in link', () => signInCodeContract(open));
  describe('a password reset link', () => passwordResetContract(open));
  describe('signing in with a wrong password', () => failedSignInContract(open));
  describe('a password of someone else', () => foreignPasswordContract(open));
  describe('the first owner', () => firstOwnerContract(open));
  describe('roles and management keys', () => accessContract(open));
  describe('access and late bodies', () => lateBodyContract(open));
  describe('the audit log', () => auditContract(open));
  describe('an external identity', () => identityContract(open));
  describe('creating a workspace', () => workspaceCreationContract(open));
  describe('the name of a workspace', () => workspaceNameContract(open));
  describe('members', () => membersContract(open));
  describe('programs', () => {
    programContract(open);
    policyContract(open);
  });
  describe('partners', () => partnerContract(open));
  describe('applications', () => {
    applicationContract(open);
    applicationSpamContract(open);
  });
  describe('request validation', () => managementInputContract(open));
  describe('a key with program_scope', () => programScopeContract(open));
  describe('the partner portal', () => partnerPortalContract(open));
  describe('the data of the partner portal', () => portalDataContract(open));
  describe('payouts in the partner portal', () => portalPayoutContract(open));
  describe('notifications in the partner portal', () => portalNotificationContract(open));
}
