import type {
  apiKeyRow,
  auditRow,
  breakdownReply,
  bulkReply,
  bulkResultRow,
  commissionRow,
  commissionTotalRow,
  confirmPayoutRunReply,
  createdApiKeyRow,
  createdMemberRow,
  createdPartnerRow,
  createdProgramRow,
  createPayoutBatchReply,
  emailPreferencesRow,
  emailRow,
  emailTemplatesReply,
  eventRow,
  importPayoutResultsReply,
  inviteRow,
  listedLinkRow,
  listedPolicyRow,
  memberRow,
  meReply,
  notificationRow,
  openInviteRow,
  PayoutResultFormat,
  partnerDetailRow,
  partnerRow,
  payoutBatchDetailRow,
  payoutBatchItemRow,
  payoutBatchRow,
  payoutDetailsRow,
  payoutPreviewReply,
  payoutRow,
  payoutRunRow,
  payoutSettingsRow,
  portalBalanceRow,
  portalCommissionRow,
  portalLinkSeriesReply,
  portalListedLinkRow,
  portalNotificationRow,
  portalPartnersReply,
  portalPayoutDetailRow,
  portalPayoutRow,
  portalSubIdsReply,
  processorConnectionRow,
  programPageRow,
  programRow,
  programSetupRow,
  refusalRow,
  Scope,
  seriesReply,
  sessionRow,
  simulationRow,
  testChainRow,
  tokenRow,
  topReply,
  traceRow,
  webhookDeliveryDetailRow,
  webhookDeliveryRow,
  webhookEndpointRow,
  webhookEndpointSecretRow,
} from '@affkit/protocol';
import type { z } from 'zod';

export interface ListReply<Row> {
  readonly data: readonly Row[];
  readonly meta: { readonly pagination: Pagination };
}

/** Clicks before `clicks_complete_from` were removed and are not listed. Null means that none were removed. */
export interface EventListReply extends ListReply<TrackedEvent> {
  readonly meta: ListReply<TrackedEvent>['meta'] & { readonly clicks_complete_from: string | null };
}

export interface ItemReply<Row> {
  readonly data: Row;
}

export interface Pagination {
  readonly page: number;
  readonly pageSize: number;
  readonly pageCount: number;
  readonly total: number;
}

export type Me = z.output<typeof meReply>;
export type Program = z.output<typeof programRow>;
export type CreatedProgram = z.output<typeof createdProgramRow>;
export type ProgramSetup = z.output<typeof programSetupRow>;
export type SetupStep = ProgramSetup['steps'][number];
export type TestChain = z.output<typeof testChainRow>;
export type NewToken = z.output<typeof tokenRow>;
export type Partner = z.output<typeof partnerRow>;
export type Email = z.output<typeof emailRow>;
export type EmailTemplates = z.output<typeof emailTemplatesReply>;
export type EmailPreferences = z.output<typeof emailPreferencesRow>;
export type OpenInvite = z.output<typeof openInviteRow>;
export type Invite = z.output<typeof inviteRow>;
export type PartnerDetail = z.output<typeof partnerDetailRow>;
export type ProgramPage = z.output<typeof programPageRow>;
export type CreatedPartner = z.output<typeof createdPartnerRow>;
export type Link = z.output<typeof listedLinkRow>;
export type Commission = z.output<typeof commissionRow>;
export type Payout = z.output<typeof payoutRow>;
export type PayoutBatch = z.output<typeof payoutBatchRow>;
export type PayoutBatchDetail = z.output<typeof payoutBatchDetailRow>;
export type PayoutBatchItem = z.output<typeof payoutBatchItemRow>;
export type NewPayoutBatch = z.output<typeof createPayoutBatchReply>;
export type PayoutReport = z.output<typeof importPayoutResultsReply>;
export type PayoutRun = z.output<typeof payoutRunRow>;
export type ConfirmedRun = z.output<typeof confirmPayoutRunReply>;
export type PayoutSettings = z.output<typeof payoutSettingsRow>;
export type PayoutChannel = PayoutBatch['channel'];
export type { PayoutResultFormat as PayoutReportFormat };
export type Policy = z.output<typeof listedPolicyRow>;
export type TrackedEvent = z.output<typeof eventRow>;
export type Notification = z.output<typeof notificationRow>;
export type Trace = z.output<typeof traceRow>;
export type TraceStep = Trace['steps'][number];
export type Refusal = z.output<typeof refusalRow>;
export type BulkReply = z.output<typeof bulkReply>;
export type BulkResult = z.output<typeof bulkResultRow>;
export type CommissionTotal = z.output<typeof commissionTotalRow>;
export type Simulation = z.output<typeof simulationRow>;
export type PayoutPreview = z.output<typeof payoutPreviewReply>;
export type SeriesReply = z.output<typeof seriesReply>;
export type Series = SeriesReply['data']['series'][number];
export type TopReply = z.output<typeof topReply>;
export type BreakdownReply = z.output<typeof breakdownReply>;
export type Member = z.output<typeof memberRow>;
export type CreatedMember = z.output<typeof createdMemberRow>;
export type Role = Member['role'];
export type ApiKey = z.output<typeof apiKeyRow>;
export type CreatedApiKey = z.output<typeof createdApiKeyRow>;
export type { Scope };
export type AuditEntry = z.output<typeof auditRow>;
export type ProcessorConnection = z.output<typeof processorConnectionRow>;
export type WebhookEndpoint = z.output<typeof webhookEndpointRow>;
export type WebhookEndpointWithSecret = z.output<typeof webhookEndpointSecretRow>;
export type WebhookDelivery = z.output<typeof webhookDeliveryRow>;
export type WebhookDeliveryDetail = z.output<typeof webhookDeliveryDetailRow>;
export type BrowserSession = z.output<typeof sessionRow>;
export type PortalPartners = z.output<typeof portalPartnersReply>;
export type PortalPartner = PortalPartners['partners'][number];
export type PortalProgram = PortalPartner['programs'][number];
export type PortalLink = z.output<typeof portalListedLinkRow>;
export type PortalBalance = z.output<typeof portalBalanceRow>;
export type PortalEarning = z.output<typeof portalCommissionRow>;
export type PortalLinkSeries = z.output<typeof portalLinkSeriesReply>;
export type PortalSubIds = z.output<typeof portalSubIdsReply>;
export type PortalCommission = z.output<typeof portalCommissionRow>;
export type PortalPayout = z.output<typeof portalPayoutRow>;
export type PortalPayoutDetail = z.output<typeof portalPayoutDetailRow>;
export type PayoutDetails = z.output<typeof payoutDetailsRow>;
export type PortalNotification = z.output<typeof portalNotificationRow>;
