import type {
  bulkReply,
  bulkResultRow,
  commissionRow,
  commissionTotalRow,
  createdPartnerRow,
  eventRow,
  listedLinkRow,
  listedPolicyRow,
  meReply,
  notificationRow,
  partnerRow,
  payoutPreviewReply,
  payoutRow,
  performanceReply,
  programRow,
  refusalRow,
  seriesReply,
  simulationRow,
  traceRow,
} from '@affkit/protocol';
import type { z } from 'zod';

export interface ListReply<Row> {
  readonly data: readonly Row[];
  readonly meta: { readonly pagination: Pagination };
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
export type Partner = z.output<typeof partnerRow>;
export type CreatedPartner = z.output<typeof createdPartnerRow>;
export type Link = z.output<typeof listedLinkRow>;
export type Commission = z.output<typeof commissionRow>;
export type Payout = z.output<typeof payoutRow>;
export type Policy = z.output<typeof listedPolicyRow>;
export type Series = z.output<typeof seriesReply>;
export type TrackedEvent = z.output<typeof eventRow>;
export type Notification = z.output<typeof notificationRow>;
export type Performance = z.output<typeof performanceReply>;
export type Trace = z.output<typeof traceRow>;
export type TraceStep = Trace['steps'][number];
export type Refusal = z.output<typeof refusalRow>;
export type BulkReply = z.output<typeof bulkReply>;
export type BulkResult = z.output<typeof bulkResultRow>;
export type CommissionTotal = z.output<typeof commissionTotalRow>;
export type Simulation = z.output<typeof simulationRow>;
export type PayoutPreview = z.output<typeof payoutPreviewReply>;
