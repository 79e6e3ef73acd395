import { validWebhookSecrets } from '../access/webhook-secrets.ts';
import { isRejection, Rejection, Unavailable } from '../rejection.ts';
import type { Runtime } from '../runtime.ts';
import type { Transaction } from '../storage/database/engine/engine.ts';
import { retryOnConflict } from '../storage/database/retry-on-conflict.ts';
import { insertPendingPayment } from '../storage/stripe/pending-payments.ts';
import {
  findConnection,
  lockConnectionShared,
  markConnected,
  type ProcessorConnectionRow,
} from '../storage/stripe/processor-connections.ts';
import { lockProcessorEvent, saveProcessorEvent } from '../storage/stripe/processor-events.ts';
import { findImportOfPayment } from '../tracking/find-import-of-payment.ts';
import { applyDisputeEvent } from './apply-dispute-event.ts';
import {
  applyPaymentEvent,
  connectPaymentToSale,
  DETAILS_PENDING,
  recordTestPayment,
} from './apply-payment-event.ts';
import { applyRefundEvent } from './apply-refund-event.ts';
import { decisionColumns, ignoredDecision, isFinalDecision, type ProcessorDecision } from './decision.ts';
import { isSigned, readSignature } from './signature.ts';
import { type EventContent, readStripeEvent, type StripeEvent } from './stripe-event.ts';

/** How long a payment waits for an event with more details. Stripe sends that event within seconds. */
const DETAILS_WAIT_MS = 10 * 60_000;

/** A webhook request. The signature covers the raw bytes of the body. */
export interface Webhook {
  /** Called at most once, and only when the signature header is well-formed and recent. */
  readBytes(): Promise<Uint8Array | 'too_large' | Rejection>;
  /** The `Stripe-Signature` header. */
  readonly signature: string | undefined;
}

/**
 * Processes an event of a connection, unless the decision about the event is already final. The changes and the
 * decision are stored in one transaction. The body is parsed only after its signature has been verified.
 * @throws on a temporary failure. Nothing is stored then, and the processor will deliver the event again
 */
export async function receiveWebhook(
  runtime: Runtime,
  connectionId: number,
  webhook: Webhook,
): Promise<ProcessorDecision | Rejection> {
  const connection = await findConnection(runtime.engine.read, connectionId);
  if (!connection || connection.disconnected_at !== null) return new Rejection('not_found');
  const secrets = validWebhookSecrets(runtime, connection);
  if (secrets.length === 0) {
    throw new Error(
      `The webhook secret of connection ${connectionId} cannot be decrypted; set webhook_secret again`,
    );
  }
  const signature = readSignature(webhook.signature, runtime.now());
  if (!signature) return new Rejection('webhook_signature_invalid');
  const bytes = await webhook.readBytes();
  if (bytes === 'too_large') return new Rejection('body_too_large');
  if (isRejection(bytes)) return bytes;
  if (!isSigned(signature, bytes, secrets)) return new Rejection('webhook_signature_invalid');
  let json: unknown;
  try {
    json = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    return new Rejection('invalid_json');
  }
  const event = readStripeEvent(json);
  if (!event) return new Rejection('webhook_event_invalid');
  const { workspace_id: workspaceId } = connection;
  return await retryOnConflict(runtime.engine, workspaceId, async (tx) => {
    if (!(await lockConnectionShared(tx, workspaceId, connectionId))) return new Rejection('not_found');
    if (connection.connected_at === null) await markConnected(tx, connection, runtime.now());
    return await decideOnce(tx, runtime, connection, event);
  });
}

async function decideOnce(
  tx: Transaction,
  runtime: Runtime,
  connection: ProcessorConnectionRow,
  event: StripeEvent,
): Promise<ProcessorDecision> {
  const { content } = event;
  // Events of unsupported types are not stored, because they can be numerous and are never shown.
  if (content.kind === 'unsupported') return ignoredDecision('unsupported_type');
  const earlier = await lockProcessorEvent(tx, connection.id, event.id);
  if (earlier && isFinalDecision(earlier)) return { outcome: 'duplicate', reason: 'event_repeated' };
  const decision =
    decideByConnection(connection, event) ??
    (await decideWebhookEvent(tx, runtime, connection, event, content));
  const now = runtime.now();
  const row = {
    connection_id: connection.id,
    event_id: event.id,
    workspace_id: connection.workspace_id,
    type: event.type,
    ...decisionColumns(decision),
    event_at: event.at ?? now,
    received_at: now,
  };
  await saveProcessorEvent(tx, row, content.refs, earlier);
  if (content.kind === 'payment' && decision.reason === DETAILS_PENDING) {
    await insertPendingPayment(tx, {
      connection_id: connection.id,
      event_id: event.id,
      workspace_id: connection.workspace_id,
      payment: JSON.stringify(content),
      event_at: event.at,
      due_at: now + DETAILS_WAIT_MS,
    });
  }
  return decision;
}

/** @returns the reason why the connection rejects the event, or null when the connection accepts it */
function decideByConnection(
  connection: ProcessorConnectionRow,
  event: StripeEvent,
): ProcessorDecision | null {
  const { account_id, mode, record_test_events } = connection;
  if (event.account !== null && event.account !== account_id) return ignoredDecision('other_account');
  if (event.isLive === true && mode === 'test') return ignoredDecision('live_event');
  if (event.isLive !== false || mode === 'test') return null;
  return record_test_events === 1 && event.content.kind === 'payment' ? null : ignoredDecision('test_event');
}

async function decideWebhookEvent(
  tx: Transaction,
  runtime: Runtime,
  connection: ProcessorConnectionRow,
  { at, isLive }: StripeEvent,
  content: Exclude<EventContent, { kind: 'unsupported' }>,
): Promise<ProcessorDecision> {
  const { workspace_id: workspaceId } = connection;
  const imported = await findImportOfPayment(tx, workspaceId, content.refs, runtime.now());
  if (imported?.isRecent) {
    throw new Unavailable(
      `The payment belongs to program ${imported.programId}, whose import is not finished. If it was interrupted, run it again`,
    );
  }
  // An abandoned import must not cause errors permanently, because Stripe disables endpoints that keep failing.
  if (imported)
    return ignoredDecision('program_not_found', { programId: imported.programId, saleId: imported.saleId });
  if (content.kind === 'payment' && isLive === false && connection.mode === 'live') {
    return await recordTestPayment(tx, runtime, workspaceId, content, at);
  }
  switch (content.kind) {
    case 'payment':
      return await applyPaymentEvent(tx, runtime, connection, content, at, 'wait');
    case 'refund':
      return await applyRefundEvent(tx, runtime, workspaceId, content, at);
    case 'dispute':
      return await applyDisputeEvent(tx, runtime, workspaceId, content, at);
    case 'same_payment': {
      const decision = await connectPaymentToSale(tx, runtime, workspaceId, content.refs);
      return { ...decision, outcome: 'tied', reason: null };
    }
    case 'ignored':
      return ignoredDecision(content.reason);
  }
}
