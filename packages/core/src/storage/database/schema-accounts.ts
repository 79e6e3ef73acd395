import type { Generated } from 'kysely';

export interface UserTable {
  id: Generated<number>;
  email: string;
  name: string;
  password_hash: string;
  /** 0 when someone else may have set the password. */
  password_is_own: Generated<0 | 1>;
  /** 1 when someone else has set the password, so that the user must replace it. */
  password_is_temporary: Generated<0 | 1>;
  created_at: number;
}

export interface WorkspaceTable {
  id: Generated<number>;
  name: string;
  created_at: number;
}

export type MemberRole = 'owner' | 'admin' | 'member' | 'viewer';

export interface MemberTable {
  id: Generated<number>;
  workspace_id: number;
  /** Null until the invitation is accepted, which sets it and clears the invited email address and name. */
  user_id: number | null;
  invited_email: string | null;
  invited_name: string | null;
  role: MemberRole;
  created_at: number;
}

/** An invitation of a member or a partner, with the SHA-256 of its token. Deleted when it is accepted. */
export interface InviteTable {
  token_hash: string;
  workspace_id: number;
  member_id: number | null;
  partner_id: number | null;
  expires_at: number;
  created_at: number;
}

/** The identity of a user at an external identity provider. */
export interface IdentityTable {
  issuer: string;
  subject: string;
  user_id: number;
  /** Tokens issued at or before this time are rejected. */
  ended_at: number | null;
  created_at: number;
}

export interface SessionTable {
  id: Generated<number>;
  /** The id in the session's token. */
  token_id: string;
  user_id: number;
  /** Browser and operating system at the sign-in. Null if unknown. */
  device: string | null;
  expires_at: number;
  /** The time until which requests extend `expires_at`. Null unless the session is in a cookie. */
  renewable_until: number | null;
  /** Not updated by each request, to save writes. */
  last_used_at: number;
  created_at: number;
}

/** The code of a sign-in or password reset link, with its SHA-256. Deleted when it is used. */
export interface OneTimeCodeTable {
  code_hash: string;
  user_id: number;
  expires_at: number;
  created_at: number;
}

/** A failed sign-in, or a request for a reset link, with one row for each key that counts it. */
export interface LoginFailureTable {
  id: Generated<number>;
  /** Keyed hashes: neither the email address nor the IP address is stored. */
  attempt_hash: string;
  key_hash: string;
  failed_at: number;
}

export interface ApiKeyTable {
  id: Generated<number>;
  workspace_id: number;
  created_by: number;
  name: string;
  prefix: string;
  key_hash: string;
  key_masked: string;
  scopes: string;
  program_scope: string | null;
  expires_at: number | null;
  revoked_at: number | null;
  last_used_at: number | null;
  created_at: number;
}

/** A management change. The states are JSON without secrets. Rows are never changed or deleted. */
export interface AuditTable {
  id: Generated<number>;
  workspace_id: number;
  program_id: number | null;
  /** `system` when no caller made the change, as on the first start. */
  actor_kind: 'user' | 'key' | 'system';
  actor_id: number | null;
  action: string;
  subject_kind: string;
  subject_id: number | null;
  state_before: string | null;
  state_after: string | null;
  request_id: string | null;
  created_at: number;
}

export type EmailKind = 'password_reset' | 'member_invitation' | 'partner_invitation';
export type EmailStatus = 'queued' | 'sent' | 'failed';

/** An email to send, or the result of sending it. The content is written when it is sent. */
export interface EmailTable {
  id: Generated<number>;
  /** Random. The `Message-ID` contains it. */
  message_key: string;
  kind: EmailKind;
  /** Null for a password reset, which belongs to a user. */
  workspace_id: number | null;
  program_id: number | null;
  recipient: string;
  /** The code or token of the link, encrypted with a key of the service. Deleted after the last attempt. */
  sealed_token: string | null;
  status: EmailStatus;
  attempts: number;
  /** The next attempt, or the end of the lease of the process that is sending it. */
  run_at: number;
  expires_at: number;
  last_error: string | null;
  created_at: number;
  finished_at: number | null;
}

export type NotificationKind =
  | 'commission_reversed'
  | 'commission_refunded'
  | 'commission_restored'
  | 'commission_rejected'
  | 'commission_adjusted'
  | 'payout_paid'
  | 'paid_commission_reversed'
  | 'second_refund_skipped'
  | 'refund_parked'
  | 'commission_disputed'
  | 'commission_released'
  | 'application_received'
  | 'application_approved'
  | 'application_rejected'
  | 'dispute_parked'
  | 'lost_dispute_skipped'
  | 'recorded_by_other_program'
  | 'sale_recorded_twice';

export interface NotificationTable {
  id: Generated<number>;
  workspace_id: number;
  program_id: number;
  /** Null when the notification is for the advertiser. */
  partner_id: number | null;
  kind: NotificationKind;
  /** Identifies the occasion; further notifications with the same key are not stored. */
  dedupe_key: string;
  payload: string;
  read_at: number | null;
  created_at: number;
}
