import type { EmailCategory, EmailKind } from '@affkit/protocol';
import type { Generated } from 'kysely';

export interface UserTable {
  id: Generated<number>;
  email: string;
  name: string;
  password_hash: string;
  /** 0 when another person may have set the password. */
  password_is_own: Generated<0 | 1>;
  /** 1 when another person has set the password, so that the user must replace it. */
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
  /**
   * Null until the invitation is accepted. The invited email address and name are cleared at the same time.
   */
  user_id: number | null;
  invited_email: string | null;
  invited_name: string | null;
  role: MemberRole;
  created_at: number;
}

/**
 * An invitation of a member or a partner, with the SHA-256 of its token. The row is deleted when the
 * invitation is accepted.
 */
export interface InviteTable {
  token_hash: string;
  workspace_id: number;
  member_id: number | null;
  partner_id: number | null;
  expires_at: number;
  created_at: number;
}

/** The account of a user at an external identity provider. */
export interface IdentityTable {
  issuer: string;
  subject: string;
  user_id: number;
  /** Tokens that were issued at or before this time are rejected. */
  ended_at: number | null;
  created_at: number;
}

export interface SessionTable {
  id: Generated<number>;
  /** The id in the session's token. */
  token_id: string;
  user_id: number;
  /** The browser and operating system that were used to sign in. Null if unknown. */
  device: string | null;
  expires_at: number;
  /** Until this time, each request extends `expires_at`. Null if the token is not stored in a cookie. */
  renewable_until: number | null;
  /** May be older than the last use, because not every request updates it. */
  last_used_at: number;
  created_at: number;
}

/** The code of a sign-in or password reset link, as SHA-256. The row is deleted when the code is used. */
export interface OneTimeCodeTable {
  code_hash: string;
  user_id: number;
  expires_at: number;
  created_at: number;
}

/**
 * An attempt that counts toward limits, such as a failed sign-in or a request for a reset link. Each limit counts the
 * rows with its `key_hash`. Limits with the same `key_hash` share one row per attempt.
 */
export interface LoginFailureTable {
  id: Generated<number>;
  /** Keyed hashes, so that neither the email address nor the IP address is stored. */
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

/**
 * A change that a management request made. The states are JSON without secrets. Rows are never changed or
 * deleted.
 */
export interface AuditTable {
  id: Generated<number>;
  workspace_id: number;
  program_id: number | null;
  /** `system` when no user or key made the change, for example on the first start. */
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

export type EmailStatus = 'queued' | 'sent' | 'failed';

/** An email to send, or the result of sending it. The content is composed when the email is sent. */
export interface EmailTable {
  id: Generated<number>;
  /** A random key, which is part of the `Message-ID`. */
  message_key: string;
  kind: EmailKind;
  /** Null for a password reset, which does not belong to a workspace. */
  workspace_id: number | null;
  program_id: number | null;
  recipient: string;
  /** The code or token of the link, encrypted with a key of the service. Deleted after the last attempt. */
  sealed_token: string | null;
  status: EmailStatus;
  attempts: number;
  /** The time of the next attempt. While a process sends the email, it is the end of that process's lease. */
  run_at: number;
  expires_at: number;
  last_error: string | null;
  created_at: number;
  finished_at: number | null;
  /** The `EmailData` from which the email is composed, as JSON. */
  data: string | null;
  /** A second email with the same key is not stored. */
  dedupe_key: string | null;
}

/** A category of emails that a recipient has turned off. */
export interface EmailOptOutTable {
  recipient: string;
  category: EmailCategory;
  created_at: number;
}

/** The last period for which a recurring email of a program or workspace was stored. */
export interface EmailScheduleTable {
  kind: 'monthly_summary' | 'review_digest';
  /** A program for `monthly_summary`, a workspace for `review_digest`. */
  owner_id: number;
  /** The month `2026-01`, or the Monday `2026-01-05` of a week. */
  period: string;
  /** The id of the partner or user that is processed next in this period. */
  next_id: number;
}

export type NotificationKind =
  | 'commission_reversed'
  | 'commission_refunded'
  | 'commission_restored'
  | 'commission_rejected'
  | 'commission_adjusted'
  | 'payout_paid'
  | 'payout_details_changed'
  | 'payouts_proposed'
  | 'payouts_failed'
  | 'payouts_unclear'
  | 'payouts_contradicted'
  | 'payouts_delayed'
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
  | 'sale_recorded_twice'
  | 'webhook_paused'
  | 'webhook_failed';

export interface NotificationTable {
  id: Generated<number>;
  workspace_id: number;
  program_id: number;
  /** Null when the notification is for the advertiser. */
  partner_id: number | null;
  kind: NotificationKind;
  /** Identifies the cause. Only the first notification with a key is stored. */
  dedupe_key: string;
  payload: string;
  read_at: number | null;
  created_at: number;
}
