import { z } from 'zod';
import { EMAIL_CATEGORIES, EMAIL_KINDS, EMAIL_TEMPLATES } from '../emails.ts';
import {
  count,
  createdAt,
  email,
  id,
  inviteFields,
  listReplyMeta,
  rowId,
  time,
  workspaceId,
} from './envelope.ts';

const role = z
  .enum(['owner', 'admin', 'member', 'viewer'])
  .describe('Role of the member, which decides what the member may do.');
const displayName = z.string().describe('Display name.');
const sessionToken = z
  .string()
  .optional()
  .describe(
    'Session token for the `Authorization` header. Absent for a browser session, whose token is in a cookie.',
  );
const passwordChangeRequired = z
  .literal(true)
  .optional()
  .describe('Present if someone else has set the password. The session can then only replace the password.');
const sessionExpiry = time.describe('When the session expires. Each use of a browser session extends it.');

/** A user who can sign in. */
export const userRow = z.object({ id, email, name: displayName });
const user = userRow.describe('The user.');

/** Reply to a sign-in. */
export const signedInReply = z.object({
  success: z.literal(true),
  token: sessionToken,
  expires_at: sessionExpiry,
  user,
  password_change_required: passwordChangeRequired,
});

/** An invitation that can be accepted. */
export const openInviteRow = z.object({
  kind: z
    .enum(['member', 'partner'])
    .describe('Whether the person is invited as a member of the workspace or as a partner.'),
  email: z.string().describe('Invited email address.'),
  name: z.string().describe('Name of the invited person.'),
  workspace_name: z.string().describe('Name of the workspace that sent the invitation.'),
  role: role.nullable().describe('Role of the member. Null for a partner.'),
});

/** Reply to an accepted invitation. It contains a session if a new user was created. */
export const acceptedInviteReply = z.object({
  success: z.literal(true),
  user,
  token: sessionToken,
  expires_at: sessionExpiry.optional(),
});

/**
 * Reply to a request for a password reset link. It is the same for every email address, so that it does not reveal who
 * has an account.
 */
export const requestedPasswordResetReply = z.object({
  success: z.literal(true),
  delivery: z
    .enum(['email', 'none'])
    .describe(
      'How the link reaches the user. `email`: the service sends it, if a user has this address. `none`: this service sends no email, so its operator must print a link with `affkit password-reset-link`.',
    ),
});

/** Reply to a password reset. It contains a session if the request asked for one. */
export const confirmedPasswordResetReply = z.object({
  success: z.literal(true),
  user,
  expires_at: sessionExpiry.optional(),
});

/** The signed-in user, with the user's workspaces and partners. */
export const meReply = z.object({
  success: z.literal(true),
  user,
  workspaces: z.array(
    z.object({
      id,
      name: displayName,
      role,
      permissions: z
        .array(z.string())
        .describe(
          'The permissions of the role. Some are scopes, which API keys can have too. The others require a session.',
        ),
    }),
  ),
  partners: z.array(z.object({ id, name: displayName, workspace_id: workspaceId })),
});

/** Reply to a change of the signed-in user. */
export const changedMeReply = z.object({ success: z.literal(true), user });

/** A session of the signed-in user, without its token. */
export const sessionRow = z.object({
  id,
  kind: z
    .enum(['browser', 'token'])
    .describe('`browser` for a session in a cookie, `token` for a session in the `Authorization` header.'),
  device: z
    .string()
    .nullable()
    .describe('Browser and operating system at the sign-in, such as `Firefox on Linux`. Null if unknown.'),
  current: z.boolean().describe('Whether this request used the session.'),
  created_at: createdAt,
  last_used_at: time.describe('When the session was last used, with a precision of five minutes.'),
  expires_at: sessionExpiry,
});

/** A workspace, with the caller's role in it. */
export const workspaceRow = z.object({ id, name: displayName, role, created_at: createdAt });

/** A member of a workspace. */
export const memberRow = z.object({
  id,
  workspace_id: workspaceId,
  user_id: rowId.nullable().describe('Id of the user; null until the invitation is accepted.'),
  email,
  name: displayName,
  role,
  status: z.enum(['invited', 'active']).describe('Whether the invitation has been accepted.'),
  created_at: createdAt,
});

/**
 * A member who was added. The invitation is missing if the member has already accepted one, or if an earlier
 * invitation is still valid.
 */
export const createdMemberRow = memberRow.extend(inviteFields);

/** A notification of the advertiser. */
export const notificationRow = z.object({
  id,
  workspace_id: workspaceId,
  program_id: rowId.nullable().describe('Id of the program.'),
  kind: z.string().describe('Kind of the notification.'),
  details: z.record(z.string(), z.unknown()),
  read_at: time.nullable().describe('When it was marked as read.'),
  created_at: createdAt,
});

/** Reply with a page of notifications. */
export function notificationListReply<T extends z.ZodType>(row: T) {
  return z.object({
    success: z.literal(true),
    data: z.array(row),
    meta: listReplyMeta.extend({
      unread_count: count.describe('Number of notifications that are not marked as read, on all pages.'),
    }),
  });
}

/** Reply to marking all notifications as read. */
export const allReadReply = z.object({
  success: z.literal(true),
  data: z.object({ marked: count.describe('Number of notifications that were not marked as read before.') }),
});

/** An email that the service will send or has sent for a workspace. */
export const emailRow = z.object({
  id,
  workspace_id: workspaceId,
  program_id: rowId.nullable().describe('Id of the program.'),
  kind: z
    .enum(EMAIL_KINDS)
    .describe('What the email is about. `test` is an example that a member asked for.'),
  recipient: z
    .string()
    .describe(
      'Email address. Masked, such as `j***@example.com`, if it is not the address of the partner in this workspace.',
    ),
  partner_id: rowId.nullable().describe('Id of the partner, if the email is for a partner.'),
  member_id: rowId.nullable().describe('Id of the member who is invited.'),
  status: z
    .enum(['queued', 'sent', 'failed'])
    .describe(
      '`sent`: the mail server has accepted it. `failed`: the mail server has rejected it, or it could not be sent before it expired.',
    ),
  attempts: count.describe('Number of attempts to send it.'),
  error: z
    .string()
    .nullable()
    .describe('Why the last attempt failed. Null if no attempt has failed, or if the email was sent.'),
  next_attempt_at: time
    .nullable()
    .describe('Time of the next attempt to send the email. Null if the email is not queued.'),
  created_at: createdAt,
  finished_at: time.nullable().describe('When the email was sent or has failed. Null while it is queued.'),
});

/** A template of emails, filled in with examples. */
export const emailTemplateRow = z.object({
  template: z.enum(EMAIL_TEMPLATES).describe('The kind of the emails.'),
  category: z
    .enum(EMAIL_CATEGORIES)
    .nullable()
    .describe('The preference that turns these emails off. Null if they cannot be turned off.'),
  is_transactional: z
    .boolean()
    .describe('Whether the emails are always sent, because the recipient needs them.'),
  from: z.object({
    name: z.string().describe('Name of the sender, which can be empty.'),
    address: z.string().nullable().describe('Address of the sender. Null if the service sends no email.'),
  }),
  subject: z.string(),
  html: z.string().describe('The HTML part. It has no scripts and no images, and its links lead nowhere.'),
  text: z.string().describe('The text part.'),
});

/** Reply with the templates. */
export const emailTemplatesReply = z.object({
  success: z.literal(true),
  data: z.array(emailTemplateRow),
  meta: z.object({
    delivery: z.enum(['email', 'none']).describe('`email` if the service sends emails, otherwise `none`.'),
  }),
});

/** Whether the user gets the emails of each category. Other emails cannot be turned off. */
export const emailPreferencesRow = z.object({
  review_tasks: z
    .boolean()
    .describe(
      'Whether members get emails about new applications, payouts, and failing webhooks, and a weekly email on Mondays about open tasks.',
    ),
  commission_changes: z
    .boolean()
    .describe('Whether partners get an email when a refund reduces one of their commissions.'),
  monthly_summary: z
    .boolean()
    .describe('Whether partners get a monthly email with their results of the previous month.'),
});

/** A new invitation that replaces the earlier ones. */
export const inviteRow = z.object(inviteFields).required({ invite_token: true, invite_expires_at: true });

/** A change in the audit log: who changed what, and the states before and after the change. */
export const auditRow = z.object({
  id,
  workspace_id: workspaceId,
  program_id: rowId.nullable().describe('Id of the program.'),
  actor: z.object({
    kind: z.enum(['user', 'key', 'system']),
    id: rowId.nullable().describe('Row id of the user or key.'),
    email: z.string().nullable().describe('Email address of the user.'),
  }),
  action: z.string(),
  subject: z.object({ kind: z.string(), id: rowId.nullable().describe('Row id.') }),
  before: z.unknown(),
  after: z.unknown(),
  request_id: z.string().nullable().describe('Id of the request, as in the header `X-Request-Id`.'),
  created_at: createdAt,
});
