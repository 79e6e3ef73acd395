/** Matches the markers of all tenants. The group is the number of the tenant. */
export const MARKER: RegExp = /zq(\d+)x\d+zq/gi;

export const ROW_KINDS = [
  'workspace',
  'program',
  // A program that can be deleted, because it has no balance.
  'emptyProgram',
  'partner',
  'link',
  'customer',
  'policy',
  'commission',
  'payout',
  'payoutBatch',
  'payoutRun',
  'webhookEndpoint',
  'webhookDelivery',
  'key',
  'member',
  'notification',
  'partnerNotification',
  'connection',
  // Extra sessions of the owner. Requests of an attack may end them without signing out a caller.
  'session',
] as const;
export type RowKind = (typeof ROW_KINDS)[number];

export interface Caller {
  readonly name: string;
  /** Undefined for a caller without a valid credential. */
  readonly tenant: Tenant | undefined;
  /** The complete header. */
  readonly authorization?: string | undefined;
  /** The complete `Cookie` header, for requests over https and over http. */
  readonly cookie?: string | undefined;
}

/** Texts that other tenants may know and send. Finding them does not prove a leak. */
export interface KnownTexts {
  readonly codes: string[];
  readonly clickIds: string[];
  readonly customerKeys: string[];
  readonly transactionIds: string[];
  readonly origins: string[];
  /** Slugs of programs with a published page, and tokens of their application forms. */
  readonly slugs: string[];
  readonly formTokens: string[];
}

/**
 * A workspace with two programs and several rows of each kind. Every text that the API lets a tenant choose
 * contains a marker of that tenant.
 */
export interface Tenant {
  readonly number: number;
  readonly workspaceId: number;
  readonly userIds: readonly number[];
  readonly rows: Readonly<Record<RowKind, number[]>>;
  readonly saleIds: readonly number[];
  readonly known: KnownTexts;
  /** Texts that contain no marker, and that no other tenant may see. */
  readonly secrets: readonly string[];
  readonly emails: readonly string[];
  readonly productIds: readonly string[];
  readonly inviteTokens: readonly string[];
  /** Password reset codes of a user who has no session. A reset therefore ends no session that the test uses. */
  readonly resetCodes: readonly string[];
  readonly webhookSecret: string;
  readonly callers: readonly Caller[];
}
