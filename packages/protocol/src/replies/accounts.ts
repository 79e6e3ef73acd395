import { z } from 'zod';
import { id, time } from './envelope.ts';

const role = z.enum(['owner', 'admin', 'member', 'viewer']);

/** A person who can sign in. */
export const userRow = z.object({ id, email: z.string(), name: z.string() });

/** Reply to a sign-in. */
export const signedInReply = z.object({
  success: z.literal(true),
  token: z.string(),
  expires_at: time,
  user: userRow,
});

/** Reply to an accepted invitation; the session is there for a new user. */
export const acceptedInviteReply = z.object({
  success: z.literal(true),
  user: userRow,
  token: z.string().optional(),
  expires_at: time.optional(),
});

/** Who is signed in, and what is theirs. */
export const meReply = z.object({
  success: z.literal(true),
  user: userRow,
  workspaces: z.array(z.object({ id, name: z.string(), role })),
  partners: z.array(z.object({ id, name: z.string(), workspace_id: id })),
});

/** A workspace, with the caller's role in it. */
export const workspaceRow = z.object({ id, name: z.string(), role, created_at: time });

/** A member of a workspace. */
export const memberRow = z.object({
  id,
  workspace_id: id,
  user_id: id.nullable(),
  email: z.string(),
  name: z.string(),
  role,
  status: z.enum(['invited', 'active']),
  created_at: time,
});

/** A member just added; the invitation is there where the e-mail has no user. */
export const createdMemberRow = memberRow.extend({
  invite_token: z.string().optional(),
  invite_expires_at: time.optional(),
});

/** A message to the advertiser. */
export const notificationRow = z.object({
  id,
  workspace_id: id,
  program_id: id.nullable(),
  kind: z.string(),
  details: z.record(z.string(), z.unknown()),
  read_at: time.nullable(),
  created_at: time,
});

/** One change by management: who, what, before and after. */
export const auditRow = z.object({
  id,
  workspace_id: id,
  program_id: id.nullable(),
  actor: z.object({
    kind: z.enum(['user', 'key', 'system']),
    id: id.nullable(),
    email: z.string().nullable(),
  }),
  action: z.string(),
  subject: z.object({ kind: z.string(), id: id.nullable() }),
  before: z.unknown(),
  after: z.unknown(),
  request_id: z.string().nullable(),
  created_at: time,
});
