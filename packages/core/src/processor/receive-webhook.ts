import { webhookSecretsInForce } from '../access/webhook-secrets.ts';
import { Rejection } from '../rejection.ts';
import type { Runtime } from '../runtime.ts';
import type { Transaction } from '../storage/database/engine/engine.ts';
import { retryOnConflict } from '../storage/database/retry-on-conflict.ts';
import {
  findConnection,
  holdConnection,
  markConnected,
  type ProcessorConnection,
} from '../storage/stripe/processor-connections.ts';
import { lockProcessorEvent, saveProcessorEvent } from '../storage/stripe/processor-events.ts';
import { applyPayment, applyTie } from './apply-payment.ts';
import { applyRefund } from './apply-refund.ts';
import { type Decision, ignored, isFinal } from './decision.ts';
import { isSigned, readSignature } from './signature.ts';
import { type EventContent, readStripeEvent, type StripeEvent } from './stripe-event.ts';

/** A webhook as it comes: its bytes are what is signed. */
export interface Webhook {
  /** Called at most once, and only where the header may be a signature of them. */
  readBytes(): Promise<Uint8Array | 'too_large'>;
  /** The header `Stripe-Signature`. */
  readonly signature: string | undefined;
}

/**
 * Applies an event once a connection, with a record of what was decided, in one transaction. Nothing is read of a
 * body before its signature was checked. What fails for a passing reason is thrown and leaves no trace, so that the
 * processor sends it again.
 */
export async function receiveWebhook(
  runtime: Runtime,
  connectionId: number,
  webhook: Webhook,
): Promise<Decision | Rejection> {
  const connection = await findConnection(runtime.engine.read, connectionId);
  if (!connection || connection.disconnected_at !== null) return new Rejection('not_found');
  const secrets = webhookSecretsInForce(runtime, connection);
  if (secrets.length === 0) {
    throw new Error(`The secret of connection ${connectionId} can't be opened: set webhook_secret again`);
  }
  const claim = readSignature(webhook.signature, runtime.now());
  if (!claim) return new Rejection('webhook_signature_invalid');
  const bytes = await webhook.readBytes();
  if (bytes === 'too_large') return new Rejection('body_too_large');
  if (!isSigned(claim, bytes, secrets)) return new Rejection('webhook_signature_invalid');
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
    if (!(await holdConnection(tx, workspaceId, connectionId))) return new Rejection('not_found');
    if (connection.connected_at === null) await markConnected(tx, connection, runtime.now());
    return await decideOnce(tx, runtime, connection, event);
  });
}

async function decideOnce(
  tx: Transaction,
  runtime: Runtime,
  connection: ProcessorConnection,
  event: StripeEvent,
): Promise<Decision> {
  const { content } = event;
  // Of these there may be any number, and nothing to tell of them later.
  if (content.kind === 'unsupported') return ignored('unsupported_type');
  const before = await lockProcessorEvent(tx, connection.id, event.id);
  if (before && isFinal(before)) return { outcome: 'duplicate', reason: 'event_repeated' };
  const decision = await decide(tx, runtime, connection, content, event.at);
  const now = runtime.now();
  const row = {
    connection_id: connection.id,
    event_id: event.id,
    workspace_id: connection.workspace_id,
    type: event.type,
    outcome: decision.outcome,
    reason: decision.reason,
    program_id: decision.programId ?? null,
    sale_id: decision.saleId ?? null,
    click_id: decision.clickId ?? null,
    customer_key: decision.customerKey ?? null,
    event_at: event.at ?? now,
    received_at: now,
  };
  await saveProcessorEvent(tx, row, content.refs, before);
  return decision;
}

async function decide(
  tx: Transaction,
  runtime: Runtime,
  connection: ProcessorConnection,
  content: Exclude<EventContent, { kind: 'unsupported' }>,
  at: number | null,
): Promise<Decision> {
  const { workspace_id: workspaceId } = connection;
  switch (content.kind) {
    case 'payment':
      return await applyPayment(tx, runtime, connection, content, at);
    case 'refund':
      return await applyRefund(tx, runtime, workspaceId, content, at);
    case 'tie': {
      const known = await applyTie(tx, runtime, workspaceId, content.refs);
      return { ...known, outcome: 'tied', reason: null };
    }
    case 'nothing':
      return ignored(content.reason);
  }
}
