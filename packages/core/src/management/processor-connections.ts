import type { createProcessorConnectionRequest, updateProcessorConnectionRequest } from '@affkit/protocol';
import type { z } from 'zod';
import { sealWebhookSecret, validWebhookSecrets } from '../access/webhook-secrets.ts';
import { DAY_MS, isoTimeOrNull } from '../domain/calendar.ts';
import { Rejection } from '../rejection.ts';
import type { Runtime } from '../runtime.ts';
import type { Transaction } from '../storage/database/engine/engine.ts';
import { transactOrReject } from '../storage/database/transact-or-reject.ts';
import {
  insertConnection,
  lockConnection,
  type ProcessorConnectionRow,
  updateConnection,
} from '../storage/stripe/processor-connections.ts';
import { recordChange } from './audit.ts';

export type NewConnection = Omit<z.output<typeof createProcessorConnectionRequest>, 'workspace_id'>;
export type ConnectionChange = z.output<typeof updateProcessorConnectionRequest>;

/** How long the previous webhook secret remains valid after a rotation. */
const SECRET_ROTATION_MS = DAY_MS;

/** Creates a connection. Its status is `pending` until its first verified webhook arrives. */
export async function createConnection(
  runtime: Runtime,
  workspaceId: number,
  input: NewConnection,
): Promise<ProcessorConnectionRow> {
  return await runtime.engine.write(workspaceId, async (tx) => {
    const connection = await insertConnection(tx, {
      workspace_id: workspaceId,
      processor: input.processor,
      account_id: input.account_id,
      webhook_secret: sealWebhookSecret(runtime, workspaceId, input.webhook_secret),
      charges_enabled: toFlag(input.charges_enabled ?? false),
      payouts_enabled: toFlag(input.payouts_enabled ?? false),
      details_submitted: toFlag(input.details_submitted ?? false),
      mode: input.mode ?? 'live',
      record_test_events: toFlag(input.record_test_events ?? false),
      created_at: runtime.now(),
    });
    await recordConnection(tx, runtime, 'create', null, connection);
    return connection;
  });
}

/**
 * Changes a connection. The previous webhook secret remains valid for a day, and older secrets become invalid
 * immediately.
 */
export async function changeConnection(
  runtime: Runtime,
  found: ProcessorConnectionRow,
  input: ConnectionChange,
): Promise<ProcessorConnectionRow | Rejection> {
  return await transactOrReject(runtime.engine, found.workspace_id, async (tx) => {
    const before = await lockConnection(tx, found.workspace_id, found.id);
    if (!before) return new Rejection('not_found');
    if (before.disconnected_at !== null)
      return new Rejection('conflict', 'The connection is disconnected. Create another connection.');
    const { account_id, mode, record_test_events, charges_enabled, payouts_enabled, details_submitted } =
      input;
    const change = {
      ...rotateSecret(runtime, before, input.webhook_secret),
      ...(account_id !== undefined && { account_id }),
      ...(mode !== undefined && { mode }),
      ...(record_test_events !== undefined && { record_test_events: toFlag(record_test_events) }),
      ...(charges_enabled !== undefined && { charges_enabled: toFlag(charges_enabled) }),
      ...(payouts_enabled !== undefined && { payouts_enabled: toFlag(payouts_enabled) }),
      ...(details_submitted !== undefined && { details_submitted: toFlag(details_submitted) }),
    };
    if (Object.keys(change).length === 0) return before;
    const after = await updateConnection(tx, before, change);
    await recordConnection(tx, runtime, 'update', before, after);
    return after;
  });
}

/**
 * Disconnects a connection permanently. Its webhooks are then rejected, but its row is kept. Repeating the
 * call changes nothing.
 */
export async function disconnectProcessor(
  runtime: Runtime,
  found: ProcessorConnectionRow,
): Promise<ProcessorConnectionRow | Rejection> {
  return await runtime.engine.write(found.workspace_id, async (tx) => {
    const before = await lockConnection(tx, found.workspace_id, found.id);
    if (!before) return new Rejection('not_found');
    if (before.disconnected_at !== null) return before;
    const after = await updateConnection(tx, before, { disconnected_at: runtime.now() });
    await recordConnection(tx, runtime, 'disconnect', before, after);
    return after;
  });
}

/**
 * Returns the change that sets a new webhook secret, or no change if the secret equals the current secret. Rotating
 * to the same secret would invalidate the previous secret, which may still be in use.
 */
function rotateSecret(runtime: Runtime, before: ProcessorConnectionRow, secret: string | undefined) {
  if (secret === undefined) return {};
  const [current] = validWebhookSecrets(runtime, { ...before, previous_secret: null });
  if (current === secret) return {};
  return {
    webhook_secret: sealWebhookSecret(runtime, before.workspace_id, secret),
    previous_secret: before.webhook_secret,
    previous_until: runtime.now() + SECRET_ROTATION_MS,
  };
}

function toFlag(value: boolean): 0 | 1 {
  return value ? 1 : 0;
}

function recordConnection(
  tx: Transaction,
  runtime: Runtime,
  verb: 'create' | 'update' | 'disconnect',
  before: ProcessorConnectionRow | null,
  after: ProcessorConnectionRow,
): Promise<void> {
  const stateOf = (connection: ProcessorConnectionRow) => ({
    processor: connection.processor,
    account_id: connection.account_id,
    mode: connection.mode,
    record_test_events: connection.record_test_events === 1,
    charges_enabled: connection.charges_enabled === 1,
    payouts_enabled: connection.payouts_enabled === 1,
    details_submitted: connection.details_submitted === 1,
    // This time changes when the secret is replaced, so the audit log shows the rotation but not the secret.
    previous_secret_until: isoTimeOrNull(connection.previous_until),
    is_disconnected: connection.disconnected_at !== null,
  });
  return recordChange(tx, runtime, {
    workspaceId: after.workspace_id,
    action: `processor_connection.${verb}`,
    subjectId: after.id,
    before: before && stateOf(before),
    after: stateOf(after),
  });
}
