import type { replayWebhooksRequest } from '@affkit/protocol';
import type { z } from 'zod';
import { Rejection } from '../rejection.ts';
import type { Runtime } from '../runtime.ts';
import type { ProgramAccount } from '../storage/programs/programs.ts';
import { countDeliveries, findDelivery, requeueDeliveries } from '../storage/webhooks/deliveries.ts';
import { findEndpoint, unblockEndpoint } from '../storage/webhooks/endpoints.ts';

const MAX_REPLAYED = 10_000;
/** The number of deliveries per commit. Other work of the workspace can run between two commits. */
const REPLAY_BATCH_SIZE = 500;

type ReplayOrder = z.output<typeof replayWebhooksRequest>;

/**
 * Queues a delivery again, with the same event and `webhook-id`. It is tried for another three days. Also unblocks an
 * endpoint that was blocked after failures.
 */
export async function replayDelivery(
  runtime: Runtime,
  program: ProgramAccount,
  endpointId: number,
  deliveryId: number,
): Promise<Rejection | null> {
  return await runtime.engine.write(program.workspaceId, async (tx) => {
    const endpoint = await findEndpoint(tx.db, program.id, endpointId);
    if (!endpoint || !(await findDelivery(tx.db, endpointId, deliveryId))) return new Rejection('not_found');
    await unblockEndpoint(tx, endpointId);
    await requeueDeliveries(tx, endpointId, { id: deliveryId, afterId: 0, limit: 1 }, runtime.now());
    return null;
  });
}

/**
 * Requeues the deliveries of the events in a time range, and unblocks the endpoint. If the process ends before the
 * reply, possibly only some of the deliveries are queued. The request can then be repeated.
 * @returns the number of deliveries
 */
export async function replayDeliveries(
  runtime: Runtime,
  program: ProgramAccount,
  endpointId: number,
  { from, to, status }: ReplayOrder,
): Promise<number | Rejection> {
  const { read } = runtime.engine;
  if (!(await findEndpoint(read, program.id, endpointId))) return new Rejection('not_found');
  if (from > to) return new Rejection('invalid_field', 'from must not be after to');
  const filter = { from, to, ...(status !== 'all' && { status: status ?? 'failed' }) };
  const total = await countDeliveries(read, endpointId, filter);
  if (total > MAX_REPLAYED) {
    const message = `from and to must select at most ${MAX_REPLAYED} deliveries, got ${total}. Send a shorter range.`;
    return new Rejection('invalid_field', message);
  }
  const now = runtime.now();
  let replayed = 0;
  for (let afterId = 0; ; ) {
    const ids = await runtime.engine.write(program.workspaceId, async (tx) => {
      // The endpoint may have been deleted since the last commit. Its deliveries must then not be queued again.
      if (!(await findEndpoint(tx.db, program.id, endpointId))) return null;
      if (afterId === 0) await unblockEndpoint(tx, endpointId);
      return await requeueDeliveries(tx, endpointId, { ...filter, afterId, limit: REPLAY_BATCH_SIZE }, now);
    });
    if (ids === null) return new Rejection('not_found');
    replayed += ids.length;
    const last = ids.at(-1);
    if (last === undefined || ids.length < REPLAY_BATCH_SIZE) return replayed;
    afterId = last;
  }
}
