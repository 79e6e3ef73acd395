export { MIN_SECRET_LENGTH } from './access/derive-key.ts';
export type { FirstOwner } from './access/first-owner.ts';
export type { IdentityProviderOptions } from './access/identity-provider.ts';
export { networkOf, siteOf } from './access/network.ts';
export type { OneTimeCode } from './access/one-time-code.ts';
export { createPasswordResetCode } from './access/password-reset.ts';
export { resetPassword } from './access/reset-password.ts';
export { createSignInCode } from './access/sign-in-code.ts';
export { BodyAlreadyRead } from './adapters/response-body.ts';
export type { CaptchaOptions } from './captcha/options.ts';
export { type Affkit, createAffkit } from './create-affkit.ts';
export { isoDate } from './domain/calendar.ts';
export { isHostWithin } from './domain/check-origin.ts';
export { detectCsvSeparator } from './domain/csv.ts';
export { hashEmail } from './domain/email.ts';
export { formatMoney } from './domain/money.ts';
export { isoMonth, type Month, monthOf } from './domain/month.ts';
export type {
  PastCommission,
  PastCommissionState,
  PastCustomer,
  PastPartner,
  PastRecord,
  PastRecordOutcome,
  RecordBatch,
} from './history/past-records.ts';
export { HistoryError, recordHistory } from './history/record-history.ts';
export type { Admit } from './http/handle.ts';
export type { HttpReply, HttpRequest } from './http/message.ts';
export type { OtherRoute } from './http/openapi/description.ts';
export { makeErrorReply } from './http/reply.ts';
export { makeRequestId } from './http/request-id.ts';
export { StaticDocument } from './http/static-document.ts';
export { type MailAddress, type Mailer, type MailMessage, MailRefused } from './mail/mailer.ts';
export { type AffkitOptions, isPublicUrl } from './options.ts';
export { createPayPalProvider, type PayPalSettings } from './payout-provider/paypal.ts';
export {
  type ChangedTransfer,
  PayoutNotSent,
  type PayoutProvider,
  PayoutRefused,
  type PayoutWebhook,
  type ProviderPayment,
  type ProviderPayout,
  type ProviderTransfer,
  type UnpayableReason,
} from './payout-provider/provider.ts';
export { createStripeProvider, type StripePayoutSettings } from './payout-provider/stripe.ts';
export { isRejection, Unavailable } from './rejection.ts';
export { type BreakdownDrift, checkBreakdowns, rebuildBreakdowns } from './reporting/breakdowns.ts';
export {
  findProgramsOfPage,
  findWebhookConnections,
  findWebhookEndpoints,
  type ProgramOfPage,
  type WebhookConnection,
  type WebhookEndpointHealth,
} from './reporting/doctor.ts';
export { createGaugeReader, type GaugeReader } from './reporting/gauges.ts';
export { readServiceStatus, type ServiceStatus } from './reporting/service-status.ts';
export { checkTotals, listProgramsWithTotals, rebuildTotals, type TotalDrift } from './reporting/totals.ts';
export { type Explanation, explainId, type RejectedCallWithId } from './reporting/trace/explain-id.ts';
export { type LedgerReport, verifyLedger } from './reporting/verify-ledger.ts';
export {
  completeMonth,
  countMonth,
  type DueMonth,
  isMonthCounted,
  isRemovalBegun,
  listDueMonths,
  listProgramWorkspaces,
  type MonthOfProgram,
  RemovalConflict,
  readInstallationId,
  readMonth,
  removeKeptClicks,
  removeMonth,
  restoreMonth,
  type StoredClick,
} from './retention/months.ts';
export type { ApplicationToVerify, Device, GeoPlace, Logger, Runtime } from './runtime.ts';
export { ClusterError, type InitOptions, initCluster } from './storage/database/cluster/init.ts';
export {
  type ClusterNode,
  type ClusterStatus,
  type ClusterTableStatus,
  planRebalance,
  readClusterStatus,
  type ShardMove,
} from './storage/database/cluster/status.ts';
export {
  type Engine,
  OutcomeUnknown,
  type Replica,
  type ReplicaState,
} from './storage/database/engine/engine.ts';
export { parsePostgresUrl } from './storage/database/engine/postgres-url.ts';
export { type DatabaseHealth, measureCommits, readDatabaseHealth } from './storage/database/health.ts';
export type { Clash } from './storage/transfer/clashes.ts';
export {
  type GaugeValue,
  METRICS,
  type Measure,
  type MetricDefinition,
  type MetricName,
} from './telemetry/metrics.ts';
export type { OpenTelemetryApi } from './telemetry/open-telemetry.ts';
export type { TelemetryOptions } from './telemetry/telemetry.ts';
export { type OperatorChainStep, runOperatorChain } from './tracking/operator-chain.ts';
export { changeTransactionIds, TransactionIdsMismatch } from './tracking/transaction-ids-setting.ts';
export { exportProgram } from './transfer/export-program.ts';
export {
  describeMissingClicks,
  ImportClash,
  type ImportResult,
  importProgram,
  listWorkspaces,
} from './transfer/import-program.ts';
export { type TransferManifest, transferManifest } from './transfer/manifest.ts';
export type { ProgramExport } from './transfer/program-export.ts';
export { TransferError } from './transfer/transfer-error.ts';
export { isHostEntry } from './webhooks/endpoint-url.ts';
export { whyEndpointUnreachable } from './webhooks/resolve-host.ts';
