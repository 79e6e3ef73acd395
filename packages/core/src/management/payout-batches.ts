import type { createPayoutBatchRequest } from '@affkit/protocol';
import type { z } from 'zod';
import { openDebtor, openPayoutDetails } from '../access/sealed-payout-details.ts';
import {
  isFileChannel,
  type PayoutChannel,
  type ProviderChannel,
  providerOf,
} from '../domain/payout-channel.ts';
import { PAYOUT_FORMATS } from '../domain/payout-files/formats.ts';
import type {
  LeftOutReason,
  PayoutFileInput,
  PayoutFileItem,
  PayoutFormat,
} from '../domain/payout-files/payout-file.ts';
import { isRejection, Rejection } from '../rejection.ts';
import type { Runtime } from '../runtime.ts';
import type { Transaction } from '../storage/database/engine/engine.ts';
import { transactOrReject } from '../storage/database/transact-or-reject.ts';
import {
  findPayoutBatch,
  insertPayoutBatch,
  listBatchItems,
  listPendingPayouts,
  listSendablePayouts,
  lockPayoutBatch,
  lockSendablePayouts,
  type PayoutBatchView,
  type SendablePayout,
  updatePayoutBatch,
} from '../storage/money/payout-batches.ts';
import { findPayoutSettings } from '../storage/money/payout-settings.ts';
import { insertPayoutTransfers } from '../storage/money/payout-transfers.ts';
import { lockProgramShared, type ProgramAccount } from '../storage/programs/programs.ts';
import { recordChange } from './audit.ts';
import { EXCLUDED_STATUSES } from './create-payouts.ts';
import { payoutProvidersOf } from './payout-providers.ts';
import { newTransferKey } from './transfer-key.ts';

export type PayoutBatchOrder = z.output<typeof createPayoutBatchRequest>;

/** A payout that is not in the new batch, and the reason. */
interface LeftOut {
  readonly payoutId: number;
  readonly partnerId: number | null;
  readonly reason: LeftOutReason | 'not_found';
}

export interface NewPayoutBatch {
  /** Null when no payout can be sent. */
  readonly batch: PayoutBatchView | null;
  /** The payouts that are not in the batch, at most 5,000 of them. `leftOutTotal` counts all of them. */
  readonly leftOut: readonly LeftOut[];
  readonly leftOutTotal: number;
}

/** The number of pending payouts that are read at once. It limits how many payout details are in memory. */
const PAYOUTS_PER_PAGE = 500;
/** The maximum number of left-out payouts in a result. A request can also list at most this many payouts. */
const MAX_LEFT_OUT = 5_000;

/**
 * Puts pending payouts into a batch. A payout is in at most one open batch, even if several requests run
 * concurrently. The batch gets a copy of the current payout details. Depending on the channel, the advertiser
 * downloads a file of the batch, or background jobs send the payouts through a provider. Rejected and banned
 * partners, and payouts below the minimum, are paid only when the request names the payouts.
 */
export async function createPayoutBatch(
  runtime: Runtime,
  program: ProgramAccount,
  { channel, currency, ...order }: PayoutBatchOrder,
): Promise<NewPayoutBatch | Rejection> {
  const requestedIds = order.payout_ids ?? null;
  const format = rulesOf(runtime, program, channel);
  if (format === null) return new Rejection('payout_provider_missing');
  if (format.currencies !== null && !format.currencies.includes(currency)) {
    const message = `currency must be ${format.currencies.join(' or ')} for the channel ${channel}`;
    return new Rejection('invalid_field', message);
  }
  const whyLeftOut = (payout: SendablePayout, minCents: number): LeftOutReason | null =>
    // If the request names a payout, send it even if it is below the minimum. For example, the minimum may have been
    // lower when the payout was created, or a refund may have reduced the payout.
    whyNotSendable(payout, currency, requestedIds === null ? minCents : null) ??
    (requestedIds === null && EXCLUDED_STATUSES.includes(payout.partner_status)
      ? 'partner_excluded'
      : null) ??
    whyNotPayable(runtime, program, payout, currency, format);
  const notChosen = collectLeftOut();
  const payoutIds =
    requestedIds ??
    (await choosePendingPayouts(runtime, program, currency, {
      maxItems: format.maxItems,
      whyLeftOut,
      leaveOut: notChosen.leaveOut,
    }));
  return await transactOrReject(runtime.engine, program.workspaceId, async (tx) => {
    // The transaction may be retried. Each run starts with its own copy, so that it reports each payout only once.
    const { leaveOut, summarize } = collectLeftOut(notChosen.summarize());
    if (!(await lockProgramShared(tx, program.id))) return new Rejection('program_not_found');
    const settings = await findPayoutSettings(tx.db, program.id);
    if (format.needsDebtor && openDebtor(runtime, settings) === null) return new Rejection('debtor_required');
    const payouts = await lockSendablePayouts(tx, program.id, payoutIds);
    const foundIds = new Set(payouts.map(({ id }) => id));
    for (const id of payoutIds) if (!foundIds.has(id)) leaveOut(id, null, 'not_found');
    const chosen: SendablePayout[] = [];
    for (const payout of payouts) {
      const reason =
        whyLeftOut(payout, minCentsOf(settings)) ?? (chosen.length < format.maxItems ? null : 'batch_full');
      if (reason === null) chosen.push(payout);
      else leaveOut(payout.id, payout.partner_id, reason);
    }
    if (chosen.length === 0) return { batch: null, ...summarize() };
    const { author } = runtime;
    const { id } = await insertPayoutBatch(
      tx,
      {
        program_id: program.id,
        channel,
        currency,
        program_name: program.name,
        sealed_debtor: format.needsDebtor ? settings.sealed_debtor : null,
        creator_kind: author?.kind ?? 'system',
        creator_id: author?.id ?? null,
        created_at: runtime.now(),
      },
      chosen.map((payout) => ({
        payout_id: payout.id,
        partner_id: payout.partner_id,
        partner_name: payout.partner_name,
        amount_cents: payout.amount_cents,
        sealed_details: payout.sealed_details ?? '',
      })),
    );
    if (!isFileChannel(channel)) await queueTransfers(tx, runtime, program, { id, channel }, chosen);
    const batch = await findPayoutBatch(tx.db, program.id, id);
    if (!batch) throw new Error(`The batch ${id} was not stored`);
    await recordChange(tx, runtime, {
      workspaceId: program.workspaceId,
      programId: program.id,
      action: 'payout_batch.create',
      subjectId: id,
      before: null,
      after: { channel, currency, payouts: batch.payouts, amount_cents: batch.amount_cents },
    });
    return { batch, ...summarize() };
  });
}

/**
 * Collects the payouts that are not in the new batch.
 * @param earlier payouts that were left out before. @default none
 */
function collectLeftOut(
  earlier: Pick<NewPayoutBatch, 'leftOut' | 'leftOutTotal'> = { leftOut: [], leftOutTotal: 0 },
) {
  const leftOut = [...earlier.leftOut];
  let { leftOutTotal } = earlier;
  return {
    leaveOut: (payoutId: number, partnerId: number | null, reason: LeftOut['reason']) => {
      leftOutTotal += 1;
      if (leftOut.length < MAX_LEFT_OUT) leftOut.push({ payoutId, partnerId, reason });
    },
    summarize: () => ({ leftOut, leftOutTotal }),
  };
}

/**
 * Chooses payouts from all pending payouts of a currency. Reads the payouts in pages and without locks,
 * because there may be very many of them. The caller must lock the chosen payouts and check them again.
 * @returns their ids, at most `maxItems`
 */
async function choosePendingPayouts(
  { engine: { read } }: Runtime,
  program: ProgramAccount,
  currency: string,
  {
    maxItems,
    whyLeftOut,
    leaveOut,
  }: {
    readonly maxItems: number;
    readonly whyLeftOut: (payout: SendablePayout, minCents: number) => LeftOutReason | null;
    readonly leaveOut: (payoutId: number, partnerId: number, reason: LeftOutReason) => void;
  },
): Promise<number[]> {
  const minCents = minCentsOf(await findPayoutSettings(read, program.id));
  const chosenIds: number[] = [];
  let afterId = 0;
  for (;;) {
    const page = await listPendingPayouts(read, program.id, currency, { afterId, limit: PAYOUTS_PER_PAGE });
    const isFull = chosenIds.length === maxItems;
    for (const { id, partner_id } of isFull ? page : []) leaveOut(id, partner_id, 'batch_full');
    const pageIds = isFull ? [] : page.map(({ id }) => id);
    for (const payout of await listSendablePayouts(read, program.id, pageIds)) {
      const reason = whyLeftOut(payout, minCents) ?? (chosenIds.length < maxItems ? null : 'batch_full');
      if (reason === null) chosenIds.push(payout.id);
      else leaveOut(payout.id, payout.partner_id, reason);
    }
    if (page.length < PAYOUTS_PER_PAGE) return chosenIds;
    afterId = page.at(-1)?.id ?? afterId;
  }
}

function minCentsOf({ min_payout_cents: minCents }: { readonly min_payout_cents: number | null }): number {
  return minCents ?? 1;
}

/** @param minCents the minimum of the program, or null to ignore every minimum */
function whyNotSendable(
  payout: SendablePayout,
  currency: string,
  minCents: number | null,
): LeftOutReason | null {
  if (payout.status !== 'pending') return 'not_pending';
  if (payout.batch_id !== null) return 'in_batch';
  if (payout.currency !== currency) return 'other_currency';
  if (payout.amount_cents === 0) return 'zero_amount';
  const isBelow = minCents !== null && payout.amount_cents < (payout.partner_min_cents ?? minCents);
  return isBelow ? 'below_minimum' : null;
}

function whyNotPayable(
  runtime: Runtime,
  program: ProgramAccount,
  payout: SendablePayout,
  currency: string,
  { check }: ChannelRules,
): LeftOutReason | null {
  const { partner_id, sealed_details: sealed } = payout;
  const details = sealed === null ? null : openPayoutDetails(runtime, { partner_id, sealed });
  if (details === null) return 'no_details';
  if (details.currency !== null && details.currency !== currency) return 'other_currency';
  const batchItem = {
    payoutId: payout.id,
    amountCents: payout.amount_cents,
    partnerName: payout.partner_name,
    details,
  };
  return check(batchItem, { currency, programName: program.name });
}

/** The rules that decide which payouts a channel can send. */
interface ChannelRules extends Pick<PayoutFormat, 'maxItems' | 'currencies' | 'needsDebtor'> {
  check(
    item: PayoutFileItem,
    batch: { readonly currency: string; readonly programName: string },
  ): LeftOutReason | null;
}

/** @returns null when the provider of the channel is not configured for the workspace */
function rulesOf(
  runtime: Runtime,
  { workspaceId }: ProgramAccount,
  channel: PayoutChannel,
): ChannelRules | null {
  if (isFileChannel(channel)) return PAYOUT_FORMATS[channel];
  const provider = payoutProvidersOf(runtime, workspaceId).get(providerOf(channel));
  return (
    (provider && {
      maxItems: 5_000,
      currencies: null,
      needsDebtor: false,
      check: ({ amountCents, details }, batch) =>
        provider.check({ ...batch, amountCents, details, reference: '' }),
    }) ??
    null
  );
}

async function queueTransfers(
  tx: Transaction,
  runtime: Runtime,
  program: ProgramAccount,
  batch: { readonly id: number; readonly channel: ProviderChannel },
  payouts: readonly SendablePayout[],
): Promise<void> {
  const transfers = payouts.map(({ id }) => ({
    program_id: program.id,
    batch_id: batch.id,
    payout_id: id,
    workspace_id: program.workspaceId,
    provider: providerOf(batch.channel),
    transfer_key: newTransferKey(runtime),
  }));
  await insertPayoutTransfers(tx, transfers, runtime.now());
}

export interface PayoutFile {
  readonly name: string;
  readonly mediaType: string;
  readonly text: string;
}

/**
 * Writes the file of a batch. The file never changes. Once the first payout of the batch has a result, the
 * file can no longer be downloaded, because it could pay that payout twice. After the first download, the
 * batch cannot be cancelled.
 * @param options.isDownload whether somebody gets the file. Otherwise, the download is not recorded
 * @returns `not_found` when the program has no such batch, `payout_batch_state` when the batch was cancelled or a
 * payout has a result, `payout_file_lost` when the payout details cannot be decrypted
 */
export async function downloadPayoutFile(
  runtime: Runtime,
  program: ProgramAccount,
  batchId: number,
  { isDownload }: { readonly isDownload: boolean },
): Promise<PayoutFile | Rejection> {
  const batch = await findPayoutBatch(runtime.engine.read, program.id, batchId);
  if (!batch) return new Rejection('not_found');
  if (!isFileChannel(batch.channel)) {
    return new Rejection(
      'not_found',
      `Batch ${batchId} has no file, because ${batch.channel} sends its payouts.`,
    );
  }
  const fault = downloadFault(batch);
  if (fault !== null) return fault;
  const format = PAYOUT_FORMATS[batch.channel];
  const content = await loadFileContent(runtime, batch, format);
  if (isRejection(content)) return content;
  const downloadedAt = isDownload
    ? await recordDownload(runtime, program, batchId)
    : (batch.downloaded_at ?? runtime.now());
  if (isRejection(downloadedAt)) return downloadedAt;
  return {
    name: `payouts-${program.slug}-${batchId}.${format.extension}`,
    mediaType: format.mediaType,
    text: format.render({ ...content, downloadedAt }),
  };
}

/** Stores the time of the first download. @returns that time */
function recordDownload(
  runtime: Runtime,
  program: ProgramAccount,
  batchId: number,
): Promise<number | Rejection> {
  return transactOrReject(runtime.engine, program.workspaceId, async (tx) => {
    await lockPayoutBatch(tx, program.id, batchId);
    const batch = await findPayoutBatch(tx.db, program.id, batchId);
    if (!batch) return new Rejection('not_found');
    const fault = downloadFault(batch);
    if (fault !== null) return fault;
    const downloadedAt = batch.downloaded_at ?? runtime.now();
    if (batch.downloaded_at === null) await updatePayoutBatch(tx, batch, { downloaded_at: downloadedAt });
    return downloadedAt;
  });
}

/** Returns a rejection if the file contains payouts that must not be paid with it, or else null. */
function downloadFault(batch: PayoutBatchView): Rejection | null {
  const reject = (text: string) => new Rejection('payout_batch_state', `Batch ${batch.id} ${text}`);
  if (batch.cancelled_at !== null)
    return reject('was cancelled, so its file is no longer available. Create another batch.');
  if (batch.sent === batch.payouts) return null;
  if (batch.closed_at !== null) {
    return reject(
      'is closed, so its file is no longer available. If payouts failed, create another batch for them.',
    );
  }
  const advice =
    batch.downloaded_at === null
      ? 'Cancel the batch, and create another batch for the other payouts.'
      : 'Import the results of the other payouts. If payouts were not paid, import them with the status failed, and create another batch for them.';
  return reject(
    `has payouts with a result, so its file is no longer available. The file could pay them twice. ${advice}`,
  );
}

async function loadFileContent(
  runtime: Runtime,
  batch: PayoutBatchView,
  format: PayoutFormat,
): Promise<Omit<PayoutFileInput, 'downloadedAt'> | Rejection> {
  const rows = await listBatchItems(runtime.engine.read, batch.program_id, batch.id);
  const fileItems: PayoutFileItem[] = rows.flatMap((row) => {
    const details = openPayoutDetails(runtime, { partner_id: row.partner_id, sealed: row.sealed_details });
    const { payout_id: payoutId, amount_cents: amountCents, partner_name: partnerName } = row;
    return details === null ? [] : [{ payoutId, amountCents, partnerName, details }];
  });
  const debtor = openDebtor(runtime, batch);
  const isLost = fileItems.length < rows.length || (format.needsDebtor && debtor === null);
  if (isLost) return new Rejection('payout_file_lost');
  return {
    id: batch.id,
    programId: batch.program_id,
    programName: batch.program_name,
    currency: batch.currency,
    createdAt: batch.created_at,
    debtor,
    items: fileItems,
  };
}
