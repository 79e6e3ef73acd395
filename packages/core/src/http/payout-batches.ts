import { createPayoutBatchRequest, importPayoutResultsQuery, pageQuery } from '@affkit/protocol';
import { isoTime, isoTimeOrNull } from '../domain/calendar.ts';
import { cancelPayoutBatch } from '../management/cancel-payout-batch.ts';
import { createPayoutBatch, downloadPayoutFile } from '../management/payout-batches.ts';
import { applyPayoutResults, type PayoutResult } from '../management/payout-results.ts';
import { isRejection } from '../rejection.ts';
import {
  findPayoutBatch,
  listBatchItems,
  listPayoutBatches,
  type PayoutBatchItemRow,
  type PayoutBatchView,
} from '../storage/money/payout-batches.ts';
import { listBatchTransfers, type PayoutTransferRow } from '../storage/money/payout-transfers.ts';
import { replyWithList, rowRangeOf } from './pagination.ts';
import { readPayoutReport } from './payout-report.ts';
import { type Route, replyWithFound, replyWithItem, route } from './route.ts';

const BATCHES_PATH = '/api/advertiser/affiliate-programs/:id/payout-batches';
const MAX_REPORT_BYTES = 4 * 1024 * 1024;

export const payoutBatchRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: BATCHES_PATH,
    access: { kind: 'management', scope: 'payout:list', program: true },
    query: pageQuery,
    handle: async (runtime, { caller: { program }, query }) => {
      const { batches, total } = await listPayoutBatches(runtime.engine.read, program.id, rowRangeOf(query));
      return replyWithList(batches.map(toBatchReply), query, total);
    },
  }),
  route({
    method: 'POST',
    path: BATCHES_PATH,
    access: { kind: 'management', scope: 'payout:create', program: true },
    body: createPayoutBatchRequest,
    // Enough for the ids of 5,000 payouts.
    maxBodyBytes: 128 * 1024,
    handle: async (runtime, { caller: { program }, body }) => {
      const created = await createPayoutBatch(runtime, program, body);
      if (isRejection(created)) return created;
      const { batch, leftOut, leftOutTotal } = created;
      const left_out = leftOut.map(({ payoutId, partnerId, reason }) => ({
        payout_id: payoutId,
        partner_id: partnerId,
        reason,
      }));
      const data = batch && toBatchReply(batch);
      return {
        status: batch ? 201 : 200,
        body: { success: true, data, left_out, left_out_total: leftOutTotal },
      };
    },
  }),
  route({
    method: 'GET',
    path: `${BATCHES_PATH}/:batchId`,
    access: { kind: 'management', scope: 'payout:list', program: true },
    handle: async (runtime, { caller: { program }, params }) => {
      const { read } = runtime.engine;
      const batch = await findPayoutBatch(read, program.id, params.batchId);
      const batchItems = batch ? await listBatchItems(read, program.id, batch.id) : [];
      const transfers = batch ? await listBatchTransfers(read, program.id, batch.id) : [];
      const transferOf = new Map(transfers.map((transfer) => [transfer.payout_id, transfer]));
      return replyWithFound(batch, (found) => ({
        ...toBatchReply(found),
        items: batchItems.map((item) => toItemReply(item, transferOf.get(item.payout_id))),
      }));
    },
  }),
  route({
    method: 'GET',
    path: `${BATCHES_PATH}/:batchId/file`,
    access: { kind: 'management', scope: 'payout:create', program: true },
    handle: async (runtime, { caller: { program }, params, request }) => {
      // The reply to HEAD has no body, so nobody gets the file.
      const isDownload = request.method !== 'HEAD';
      const file = await downloadPayoutFile(runtime, program, params.batchId, { isDownload });
      if (isRejection(file)) return file;
      return {
        headers: {
          'content-type': file.mediaType,
          'content-disposition': `attachment; filename="${file.name}"`,
          'cache-control': 'no-store',
        },
        body: file.text,
      };
    },
  }),
  route({
    method: 'POST',
    path: `${BATCHES_PATH}/:batchId/cancel`,
    access: { kind: 'management', scope: 'payout:update', program: true },
    handle: async (runtime, { caller: { program }, params }) =>
      replyWithItem(await cancelPayoutBatch(runtime, program, params.batchId), toBatchReply),
  }),
  route({
    method: 'POST',
    path: `${BATCHES_PATH}/:batchId/import`,
    access: { kind: 'management', scope: 'payout:update', program: true },
    query: importPayoutResultsQuery,
    maxBodyBytes: MAX_REPORT_BYTES,
    readsBytes: true,
    handle: async (runtime, { caller: { program }, params: { batchId }, query, readBytes }) => {
      const batch = await findPayoutBatch(runtime.engine.read, program.id, batchId);
      if (!batch) return replyWithFound(null, () => ({}));
      const rows = readPayoutReport(await readBytes(MAX_REPORT_BYTES), query.format, batch);
      if (isRejection(rows)) return rows;
      const isDryRun = query.dry_run === '1';
      const payoutResults = rows.flatMap(({ result }) => (isResult(result) ? [result] : []));
      const applied = await applyPayoutResults(runtime, program, batchId, payoutResults, { isDryRun });
      if (isRejection(applied)) return applied;
      const outcomes = applied.values();
      const data = rows.map(({ line, result }) => {
        const outcome = isResult(result) ? outcomes.next().value : result;
        if (outcome === undefined) throw new Error(`Line ${line} of the report has no outcome`);
        if (isRejection(outcome)) return { line, ok: false, code: outcome.code, error: outcome.message };
        const { payoutId, status, isChanged } = outcome;
        return { line, ok: true, payout_id: payoutId, status, is_changed: isChanged };
      });
      const countOf = (status: string) =>
        data.filter((row) => row.is_changed === true && row.status === status).length;
      const rejected = data.filter(({ ok }) => !ok).length;
      const [paid, failed] = [countOf('paid'), countOf('failed')];
      const unchanged = data.length - rejected - paid - failed;
      const meta = { dry_run: isDryRun, paid, failed, unchanged, rejected };
      return { body: { success: true, data, meta } };
    },
  }),
];

function isResult(value: object): value is PayoutResult {
  return 'reference' in value;
}

function toBatchReply(batch: PayoutBatchView) {
  return {
    id: batch.id,
    channel: batch.channel,
    currency: batch.currency,
    status: batch.closed_at === null ? 'open' : 'closed',
    payouts: batch.payouts,
    amount_cents: batch.amount_cents,
    sent: batch.sent,
    paid: batch.paid,
    failed: batch.failed,
    cancelled: batch.cancelled,
    unsent: batch.unsent,
    unclear: batch.unclear,
    created_at: isoTime(batch.created_at),
    downloaded_at: isoTimeOrNull(batch.downloaded_at),
    closed_at: isoTimeOrNull(batch.closed_at),
  };
}

function toItemReply(item: PayoutBatchItemRow, transfer: PayoutTransferRow | undefined) {
  return {
    payout_id: item.payout_id,
    partner_id: item.partner_id,
    partner_name: item.partner_name,
    status: item.status,
    amount_cents: item.amount_cents,
    withheld_cents: item.withheld_cents,
    reference: item.reference,
    reason: item.reason,
    transfer_state: transfer?.state ?? null,
    transfer_id: transfer?.transfer_id ?? null,
    transfer_error: transfer?.last_error ?? null,
    closed_at: isoTimeOrNull(item.closed_at),
  };
}
