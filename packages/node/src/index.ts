export { Affkit } from './affkit.ts';
export {
  AffkitAbortError,
  AffkitAuthenticationError,
  AffkitConfigurationError,
  AffkitConflictError,
  AffkitConnectionError,
  AffkitError,
  type AffkitErrorDetails,
  AffkitNotFoundError,
  AffkitPermissionError,
  AffkitRateLimitError,
  AffkitServerError,
  AffkitSpoolFullError,
  AffkitTimeoutError,
  AffkitUnexpectedReplyError,
  AffkitValidationError,
} from './errors.ts';
export type { AttemptInfo, Hooks } from './hooks.ts';
export type {
  AdditionalData,
  LeadFields,
  LeadInput,
  RefundInput,
  SaleFields,
  SaleInput,
  TestLeadInput,
  TestSaleInput,
} from './input/events.ts';
export type { Logger, LogLevel } from './log.ts';
export type { TraceContext } from './open-telemetry.ts';
export type { AffkitOptions, CallOptions } from './options.ts';
export type {
  ItemsOrPages,
  ListedSale,
  Listing,
  ListPage,
  ReconcileIdsOptions,
  ReconcileOptions,
  ReconcileSalesOptions,
  Reconciliation,
} from './reconcile.ts';
export type {
  LeadDelivered,
  LeadDuplicate,
  LeadRecorded,
  LeadResult,
  Queued,
  RefundDelivered,
  RefundDuplicate,
  RefundRecorded,
  RefundResult,
  SaleDelivered,
  SaleDuplicate,
  SaleRecorded,
  SaleResult,
  TestEvent,
  Unattributed,
} from './results.ts';
export {
  type AttemptOutcome,
  decideRetry,
  type Operation,
  parseRetryAfter,
  type RetryContext,
  type RetryDecision,
  type TrackEndpoint,
} from './retry.ts';
export { type Runtime, systemRuntime } from './runtime.ts';
export type { Spool, SpoolClient, SpooledEvent, SpoolStats } from './spool/spool.ts';
export type { TokenSource } from './token.ts';
export {
  type FetchLike,
  fetchTransport,
  type Transport,
  type TransportRequest,
  type TransportResponse,
} from './transport.ts';
export type { RawBody } from './webhooks/raw-body.ts';
export type { FetchRequestLike, NodeRequestLike } from './webhooks/raw-request.ts';
export type { StandardWebhookHeaders } from './webhooks/standard-headers.ts';
export { AffkitWebhookVerificationError, type WebhookRefusal } from './webhooks/verification-error.ts';
export {
  type AffkitEvent,
  type FromRequestOptions,
  type SignOptions,
  type VerifyOptions,
  type WebhookEvent,
  Webhooks,
} from './webhooks/webhooks.ts';
