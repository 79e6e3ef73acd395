import { isolate } from '../../format/isolate.ts';
import { plural } from './plural.ts';

const countOf = (count: number): string => plural(count, 'partner', 'partners');

export const search = 'Search partners';
export const searchExample = 'Name, email, or code';
export const importPartners = 'Import';
export const noMatch = 'No partners match these filters.';
export const none = 'No partners yet. Each partner whom you invite gets a link to share.';

/** The message after a change of a status, for each new status. */
export const isNow = {
  approved: (name: string): string => `${isolate(name)} is approved.`,
  pending: (name: string): string => `${isolate(name)} is pending again.`,
  rejected: (name: string): string => `${isolate(name)} is rejected.`,
  banned: (name: string): string => `${isolate(name)} is banned.`,
} as const;

export const approved = (count: number): string => `${countOf(count)} approved.`;
export const rejected = (count: number): string => `${countOf(count)} rejected.`;
export const bulkApproveTitle = (count: number): string => `Approve ${countOf(count)}?`;
export const approveWarning = 'Clicks on their links are recorded from now on.';
export const bulkRejectTitle = (count: number): string => `Reject ${countOf(count)}?`;
export const rejectWarning =
  'Clicks on their links are not recorded. You can still approve a rejected partner later.';
export const ban = 'Ban';
export const banWithDialog = 'Ban…';
export const banned = (count: number): string => `${countOf(count)} banned.`;
export const bulkBanTitle = (count: number): string => `Ban ${countOf(count)}?`;
export const banTitle = (name: string): string => `Ban ${isolate(name)}?`;
export const banWarning =
  'Clicks on their links are no longer recorded, and new sales to their customers earn no commission. Commissions earned so far stay.';

export const invite = 'Invite a partner';
export const inviteSubmit = 'Invite';
export const code = 'Code (optional)';
export const codeHint = 'The end of their link, such as ANA10. If empty, Affkit generates a code.';
export const approveNow = 'Approve now';
export const approveNowHint = 'Clicks on a pending partner’s links are not recorded.';
export const invited = (name: string): string => `${isolate(name)} is a partner now`;
export const link = 'Partner link';
export const invitation = 'Invitation';
export const newInvitation = 'New invitation link';
export const newInvitationTitle = (name: string): string => `Invite ${isolate(name)} again?`;
export const newInvitationText = 'Earlier invitation links of this partner stop working.';
export const newInvitationLost =
  'No reply arrived, so earlier invitation links may have stopped working. Create another one.';
export const invitationOf = (name: string): string => `Invitation of ${isolate(name)}`;
export const invitationHint = 'Send this link to the partner. It is not shown again.';
export const invitationSentHint = 'The partner also gets this link by email. It is not shown again.';
