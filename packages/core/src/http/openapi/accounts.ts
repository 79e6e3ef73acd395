import {
  allReadReply,
  auditRow,
  createdMemberRow,
  doneReply,
  inviteRow,
  itemReply,
  listReply,
  memberRow,
  notificationListReply,
  notificationRow,
  workspaceRow,
} from '@affkit/protocol';
import type { z } from 'zod';
import { body, type Descriptions, reply } from './description.ts';
import { EXAMPLE_TIME, exampleInvite, examplePagination, exampleUser } from './examples.ts';

const exampleWorkspace = { id: 1, name: 'Tea Shop', role: 'owner', created_at: EXAMPLE_TIME } as const;
const exampleMember: z.output<typeof memberRow> = {
  id: 2,
  workspace_id: 1,
  user_id: 2,
  email: 'max@shop.example',
  name: 'Max',
  role: 'member',
  status: 'active',
  created_at: EXAMPLE_TIME,
};
const exampleNotification: z.output<typeof notificationRow> = {
  id: 1,
  workspace_id: 1,
  program_id: 1,
  kind: 'paid_commission_reversed',
  details: { commission_id: 1, sale_id: 1 },
  read_at: null,
  created_at: EXAMPLE_TIME,
};

export const accountDescriptions: Descriptions = {
  'GET /api/advertiser/workspaces': {
    id: 'listWorkspaces',
    tag: 'Workspaces',
    summary: "List the user's workspaces",
    description: 'Workspaces in which the user is a member.',
    replies: {
      200: reply('A page of workspaces.', listReply(workspaceRow), {
        One: { success: true, data: [exampleWorkspace], meta: examplePagination(1) },
      }),
    },
  },
  'POST /api/advertiser/workspaces': {
    id: 'createWorkspace',
    tag: 'Workspaces',
    summary: 'Create a workspace',
    description:
      'Requires the role owner in another workspace, unless the service is set to `WORKSPACE_CREATION=anyone`.',
    body: body('WorkspaceRequest', { 'A name': { name: 'Tea Shop' } }),
    replies: {
      201: reply('The new workspace, which the user owns.', itemReply(workspaceRow), {
        Made: { success: true, data: exampleWorkspace },
      }),
    },
    errors: ['owner_required'],
  },
  'PUT /api/advertiser/workspaces/:id': {
    id: 'updateWorkspace',
    tag: 'Workspaces',
    summary: 'Rename a workspace',
    description:
      'Requires the role owner. Receipts of payouts show the name as the payer, and invitations of members show it as the sender.',
    body: body('WorkspaceUpdateRequest', { 'A name': { name: 'Tea Shop' } }),
    replies: {
      200: reply('The workspace.', itemReply(workspaceRow), {
        Renamed: { success: true, data: exampleWorkspace },
      }),
    },
    errors: ['forbidden', 'not_found'],
  },
  'GET /api/advertiser/members': {
    id: 'listMembers',
    tag: 'Workspaces',
    summary: 'List members and invitations',
    description: 'Requires the role owner.',
    replies: {
      200: reply('A page of members.', listReply(memberRow), {
        One: { success: true, data: [exampleMember], meta: examplePagination(1) },
      }),
    },
  },
  'POST /api/advertiser/members': {
    id: 'createMember',
    tag: 'Workspaces',
    summary: 'Invite a member',
    description:
      'Requires the role owner. The reply contains `invite_token`, which no other reply shows. If the reply has `invite_delivery: email`, the service also sends the link by email. The reply does not reveal whether the service already has a user with this email address. Give the link only to the invited person, because it sets the password of a new user. If the workspace has sent five invitations to the address within an hour, the reply is 429.',
    body: body('MemberRequest', {
      'An invitation': { email: 'max@shop.example', name: 'Max', role: 'member' },
    }),
    replies: {
      200: reply('The existing member.', itemReply(createdMemberRow), {
        'A member': { success: true, data: exampleMember },
      }),
      201: reply('The new member.', itemReply(createdMemberRow), {
        Invited: {
          success: true,
          data: { ...exampleMember, user_id: null, status: 'invited', ...exampleInvite },
        },
      }),
    },
    errors: ['conflict', 'workspace_required', 'rate_limited'],
  },
  'PUT /api/advertiser/members/:id': {
    id: 'updateMember',
    tag: 'Workspaces',
    summary: 'Update a member',
    description:
      'Requires the role owner. The last owner must remain an owner. The email address and name of a member who has signed up cannot be changed.',
    body: body('MemberChange', { 'Another role': { role: 'admin' } }),
    replies: {
      200: reply('The updated member.', itemReply(memberRow), {
        Changed: { success: true, data: { ...exampleMember, role: 'admin' } },
      }),
    },
    errors: ['not_found', 'conflict'],
  },
  'POST /api/advertiser/members/:id/invite': {
    id: 'inviteMember',
    tag: 'Workspaces',
    summary: 'Invite a member again',
    description:
      'Requires the role owner. Only for members who have not accepted an invitation. Earlier invitations become invalid. If the service sends email, it sends the new link. If the workspace has sent five invitations to the address within an hour, the reply is 429.',
    replies: {
      201: reply('The new invitation.', itemReply(inviteRow), {
        Invited: { success: true, data: exampleInvite },
      }),
    },
    errors: ['not_found', 'conflict', 'rate_limited'],
  },
  'DELETE /api/advertiser/members/:id': {
    id: 'deleteMember',
    tag: 'Workspaces',
    summary: 'Remove a member',
    description:
      'Requires the role owner. The member loses access immediately. The last owner cannot be removed.',
    replies: { 200: reply('The member was removed.', doneReply, { Removed: { success: true } }) },
    errors: ['not_found', 'conflict'],
  },
  'GET /api/advertiser/notifications': {
    id: 'listNotifications',
    tag: 'Workspaces',
    summary: 'List notifications',
    description: 'Notifications of all workspaces in which the caller may read notifications.',
    replies: {
      200: reply('A page of notifications, newest first.', notificationListReply(notificationRow), {
        One: {
          success: true,
          data: [exampleNotification],
          meta: { ...examplePagination(1), unread_count: 1 },
        },
      }),
    },
  },
  'POST /api/advertiser/notifications/read-all': {
    id: 'readAllNotifications',
    tag: 'Workspaces',
    summary: 'Mark all notifications as read',
    description:
      'Requires the role owner or admin, because this marks the notifications as read for all members of the workspace. Without `workspace_id`, applies to all workspaces in which the caller has such a role.',
    body: body('NotificationsRead', { All: {}, 'Of one workspace': { workspace_id: 1 } }),
    replies: {
      200: reply('The number of notifications that were unread.', allReadReply, {
        Marked: { success: true, data: { marked: 3 } },
      }),
    },
  },
  'POST /api/advertiser/notifications/:id/read': {
    id: 'readNotification',
    tag: 'Workspaces',
    summary: 'Mark a notification as read',
    description:
      'Requires the role owner or admin, because this marks the notification as read for all members of the workspace. A repeated request keeps the first `read_at`.',
    replies: {
      200: reply('The notification.', itemReply(notificationRow), {
        Marked: { success: true, data: { ...exampleNotification, read_at: EXAMPLE_TIME } },
      }),
    },
    errors: ['not_found'],
  },
  'GET /api/advertiser/audit-log': {
    id: 'listAuditLog',
    tag: 'Workspaces',
    summary: 'List the audit log',
    description: 'Requires the role owner. Newest changes first.',
    replies: {
      200: reply('A page of changes.', listReply(auditRow), {
        One: {
          success: true,
          data: [
            {
              id: 1,
              workspace_id: 1,
              program_id: 1,
              actor: { kind: 'user', id: 1, email: exampleUser.email },
              action: 'program.update',
              subject: { kind: 'program', id: 1 },
              before: { hold_days: 0 },
              after: { hold_days: 30 },
              request_id: 'req_0b9c1a2d-3e4f-4a5b-8c6d-7e8f90a1b2c3',
              created_at: EXAMPLE_TIME,
            },
          ],
          meta: examplePagination(1),
        },
      }),
    },
  },
};
