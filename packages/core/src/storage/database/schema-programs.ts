import type { PayoutMethod } from '@affkit/protocol';
import type { Generated } from 'kysely';
import type { ApprovalRule } from '../../domain/application.ts';
import type { AttributionModel } from '../../domain/attribution.ts';
import type { CommissionBase } from '../../domain/commission-base.ts';

/** Which leads a program accepts from browsers. */
export type BrowserLeads = 'all' | 'without_key' | 'off';

/** What happens to a commission if the customer of the sale is known only by a customer key from a browser. */
export type ClaimedKeys = 'review' | 'pay';

export interface ProgramTable {
  id: Generated<number>;
  workspace_id: number;
  name: string;
  slug: string;
  site_url: string;
  status: 'draft' | 'live';
  cookie_window_days: number;
  attribution_model: AttributionModel;
  hold_days: number;
  currency: string;
  allowed_origins: string;
  cookie_domain: string | null;
  browser_leads: BrowserLeads;
  claimed_keys: ClaimedKeys;
  require_origin: 0 | 1;
  min_sale_cents: number;
  commission_base: CommissionBase;
  api_token_masked: string;
  /** A JSON list of the event types to which the program's endpoints subscribe. Null if there are no endpoints. */
  webhook_events: Generated<string | null>;
  created_at: number;
  deleted_at: number | null;
}

/**
 * One row per program. On a Citus cluster, each row is on the worker that stores the program's events and money. A
 * single statement can therefore find all programs that have certain rows, such as unsealed ledger entries.
 */
export interface ProgramShardTable {
  program_id: number;
}

export interface TrackingTokenTable {
  token_hash: string;
  program_id: number;
  created_at: number;
}

export interface PartnerTable {
  id: Generated<number>;
  workspace_id: number;
  email: string;
  name: string;
  user_id: number | null;
  created_at: number;
}

/**
 * The account to which a partner is paid. `sealed` contains all details as JSON, encrypted with a key of the service.
 */
export interface PayoutDetailsTable {
  workspace_id: number;
  partner_id: number;
  method: PayoutMethod;
  /** Null for an account that accepts every currency. */
  currency: string | null;
  sealed: string;
  updated_at: number;
}

/** The first bulk request with an idempotency key. Keys are unique per program. */
export interface BulkRequestTable {
  program_id: number;
  key: string;
  /** A hash of the request's content. */
  fingerprint: string;
  created_at: number;
}

/**
 * The result of a bulk request for one of the rows that it changes. It is stored in the same transaction as
 * the change.
 */
export interface BulkResultTable {
  program_id: number;
  key: string;
  subject_id: number;
  /** A `BulkResult` as JSON. */
  result: string;
  created_at: number;
}

export type PartnerProgramStatus = 'pending' | 'approved' | 'rejected' | 'banned';

export interface PartnerProgramTable {
  program_id: number;
  id: Generated<number>;
  partner_id: number;
  status: PartnerProgramStatus;
  status_reason: string | null;
  /** The minimum payout of this partner. If null, the program's minimum applies. */
  min_payout_cents: Generated<number | null>;
  created_at: number;
}

/** The public page of a program. Lists are JSON. */
export interface ProgramPageTable {
  program_id: number;
  is_published: 0 | 1;
  description: string | null;
  terms: string | null;
  logo: string | null;
  accent_color: string | null;
  questions: string;
  embed_origins: string;
  auto_approve_domains: string;
  invitation_codes: string;
}

/** The application of a partner who was not invited. The answers are JSON. */
export interface ApplicationTable {
  program_id: number;
  partner_id: number;
  answers: string;
  invitation_code: string | null;
  approved_by: ApprovalRule | null;
  applied_at: number;
  /** When the applicant opened the link in the confirmation email. */
  email_confirmed_at: number | null;
}

export interface LinkTable {
  program_id: number;
  id: Generated<number>;
  short_link: string;
  /** Null when the partner was erased. */
  partner_id: number | null;
  status: 'active' | 'inactive';
  /** The path of the page that the link opens. If null, the link opens the program's site. */
  landing_path: string | null;
  /** The `sub_id` parameter of the link's URL. */
  sub_id: string | null;
  created_at: number;
}

/** Maps each code to its link. Codes are unique in the whole service. */
export interface LinkDirectoryTable {
  short_link: string;
  program_id: number;
  link_id: number;
}

export interface PolicyTable {
  program_id: number;
  id: Generated<number>;
  product_id: string | null;
  partner_id: number | null;
  version: number;
  created_at: number;
  deleted_at: number | null;
}

export interface PolicyVersionTable {
  program_id: number;
  id: Generated<number>;
  policy_id: number;
  version: number;
  type: 'percent' | 'flat';
  /** In basis points. Null unless the type is `percent`. */
  rate_bps: number | null;
  amount_cents: number | null;
  recurring_months: number | null;
  created_at: number;
}
