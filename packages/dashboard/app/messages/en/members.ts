import { isolate } from '../../format/isolate.ts';
export const introOf = (workspace: string): string =>
  `People with access to the workspace “${isolate(workspace)}” and its programs.`;
export const rename = 'Rename the workspace';
export const workspaceName = 'Name of the workspace';
export const renameHint = 'Use the name of your company. Receipts and invitations show it.';
export const renamed = 'The workspace is renamed.';

export const none = 'This page of the list is empty.';
export const member = 'Member';
export const isYou = '(you)';
export const added = 'Added';

export const role = 'Role';
/** The text for each role in the API. */
export const roles = {
  owner: 'Owner',
  admin: 'Admin',
  member: 'Member',
  viewer: 'Viewer',
} as const;
export const rolesTitle = 'Roles';
export const roleTexts = {
  owner: 'Does everything, including members and the audit log.',
  admin:
    'Runs the programs: settings, partners, commissions, payouts, API keys, and the payment processor. Does not see members or the audit log.',
  member:
    'Sees partners, customers, commissions, and payouts. Can look up why a commission was earned. Changes nothing.',
  viewer: 'Sees the overview, but no customers, commissions, or payouts.',
} as const;

export const invite = 'Invite a member';
export const inviteSubmit = 'Invite';
export const invitationTitle = (name: string): string => `Invitation for ${isolate(name)}`;
export const invitationLink = 'Invitation link';
export const invitationHint = (name: string): string =>
  `Send this link only to ${isolate(name)}. It works once, within seven days, and is not shown again.`;
export const invitationSentHint = (name: string): string =>
  `${isolate(name)} also gets this link by email. It works once, within seven days, and is not shown again.`;
export const newInvitation = 'New invitation link';
export const newInvitationTitle = (name: string): string => `Invite ${isolate(name)} again?`;
export const newInvitationText = 'Earlier invitation links of this member stop working.';
export const newInvitationLost =
  'No reply arrived, so earlier invitation links may have stopped working. Create another one.';
export const invitationLost =
  'No reply arrived, so the member may have been added. If the member is in the list, create a new invitation link in the row’s actions.';
export const alreadyInvited = (name: string): string =>
  `An earlier invitation for ${isolate(name)} is still valid, so there is no new link. If the link is lost, choose “${newInvitation}” in the actions for ${isolate(name)}.`;

export const actionsFor = (name: string): string => `Actions for ${name}`;
export const changeRole = 'Change role…';
export const roleTitle = (name: string): string => `Role of ${isolate(name)}`;
/** The message after a change of a role, for each new role. */
export const isNow = {
  owner: (name: string): string => `${isolate(name)} is now an owner.`,
  admin: (name: string): string => `${isolate(name)} is now an admin.`,
  member: (name: string): string => `${isolate(name)} is now a member.`,
  viewer: (name: string): string => `${isolate(name)} is now a viewer.`,
} as const;
export const ownRoleWarning =
  'You will no longer see this page. Only another owner can make you an owner again.';

export const removeWithDialog = 'Remove…';
export const removeTitle = (name: string): string => `Remove ${isolate(name)}?`;
export const removeWarning = (name: string): string =>
  `${isolate(name)} is signed out everywhere. API keys that ${isolate(name)} created stop working at once.`;
export const uninviteWarning = 'The invitation link stops working.';
export const leave = 'Leave';
export const leaveWithDialog = 'Leave the workspace…';
export const leaveTitle = 'Leave the workspace?';
export const leaveWarning = 'You are signed out everywhere. API keys that you created stop working at once.';
