import type { createWebhookEndpointRequest, updateWebhookEndpointRequest } from '@affkit/protocol';
import type { z } from 'zod';
import { DAY_MS, isoTimeOrNull } from '../domain/calendar.ts';
import { isRejection, Rejection } from '../rejection.ts';
import type { Runtime } from '../runtime.ts';
import type { Transaction } from '../storage/database/engine/engine.ts';
import { transactOrReject } from '../storage/database/transact-or-reject.ts';
import { lockProgram, type ProgramAccount } from '../storage/programs/programs.ts';
import { dropDeliveries } from '../storage/webhooks/deliveries.ts';
import {
  eventTypesOf,
  findEndpoint,
  insertEndpoint,
  listEndpoints,
  saveSubscriptions,
  unblockEndpoint,
  updateEndpoint,
  type WebhookEndpointRow,
} from '../storage/webhooks/endpoints.ts';
import { insertTestDelivery } from '../storage/webhooks/events.ts';
import { findUrlFault } from '../webhooks/endpoint-url.ts';
import { createEndpointSecret, sealEndpointSecret } from '../webhooks/signature.ts';
import { recordChange } from './audit.ts';

type NewEndpoint = z.output<typeof createWebhookEndpointRequest>;
type EndpointChange = z.output<typeof updateWebhookEndpointRequest>;

const MAX_ENDPOINTS = 20;
/** How long webhooks are also signed with the previous secret after a rotation. */
const SECRET_ROTATION_MS = DAY_MS;

/** An endpoint with a new secret, which is never shown again. */
export interface EndpointWithSecret {
  readonly endpoint: WebhookEndpointRow;
  readonly secret: string;
}

/** Creates an endpoint. The endpoint receives every event of its types that is committed after the reply. */
export async function createEndpoint(
  runtime: Runtime,
  program: ProgramAccount,
  input: NewEndpoint,
): Promise<EndpointWithSecret | Rejection> {
  const fault = checkUrl(runtime, input.url);
  if (fault) return fault;
  const secret = createEndpointSecret(runtime);
  return await transactOrReject(runtime.engine, program.workspaceId, async (tx) => {
    // No lead or sale can be recorded while this lock is held, because their transactions lock the program
    // too. Without the lock, their events could miss the new endpoint.
    if (!(await lockProgram(tx, program.id))) return new Rejection('program_not_found');
    if ((await listEndpoints(tx.db, program.id)).length >= MAX_ENDPOINTS) {
      return new Rejection(
        'conflict',
        `A program can have at most ${MAX_ENDPOINTS} webhook endpoints. Delete one first.`,
      );
    }
    const endpoint = await insertEndpoint(tx, {
      workspace_id: program.workspaceId,
      program_id: program.id,
      url: new URL(input.url).href,
      description: input.description ?? null,
      event_types: JSON.stringify(unique(input.event_types)),
      sealed_secret: sealEndpointSecret(runtime, program.id, secret),
      created_at: runtime.now(),
    });
    await saveSubscriptions(tx, program.id);
    await recordEndpoint(tx, runtime, 'create', null, endpoint);
    return { endpoint, secret };
  });
}

/**
 * Changes the URL, the event types, or the description. A new URL also unblocks an endpoint that was blocked after
 * failures.
 */
export function changeEndpoint(
  runtime: Runtime,
  program: ProgramAccount,
  id: number,
  input: EndpointChange,
): Promise<WebhookEndpointRow | Rejection> {
  const { url, event_types, description } = input;
  const fault = url === undefined ? null : checkUrl(runtime, url);
  if (fault) return Promise.resolve(fault);
  const change = {
    ...(url !== undefined && { url: new URL(url).href, failures: 0, blocked_until: 0 }),
    ...(event_types !== undefined && { event_types: JSON.stringify(unique(event_types)) }),
    ...(description !== undefined && { description }),
  };
  return changeLocked(runtime, program, id, 'update', () => change);
}

/** Stops deliveries to the endpoint. Each event waits up to three days for the endpoint to be resumed. Idempotent. */
export function pauseEndpoint(
  runtime: Runtime,
  program: ProgramAccount,
  id: number,
): Promise<WebhookEndpointRow | Rejection> {
  return changeLocked(runtime, program, id, 'pause', ({ paused_at }) =>
    paused_at === null ? { paused_at: runtime.now(), pause_reason: 'user' } : {},
  );
}

/** Resumes deliveries to the endpoint. Idempotent. */
export function resumeEndpoint(
  runtime: Runtime,
  program: ProgramAccount,
  id: number,
): Promise<WebhookEndpointRow | Rejection> {
  return changeLocked(runtime, program, id, 'resume', ({ paused_at }) =>
    paused_at === null ? {} : { paused_at: null, pause_reason: null, failures: 0, blocked_until: 0 },
  );
}

/** Deletes the endpoint. Its queued deliveries are never sent. */
export function deleteEndpoint(
  runtime: Runtime,
  program: ProgramAccount,
  id: number,
): Promise<WebhookEndpointRow | Rejection> {
  const now = runtime.now();
  return changeLocked(
    runtime,
    program,
    id,
    'delete',
    () => ({ deleted_at: now }),
    (tx) => dropDeliveries(tx, id, now),
  );
}

/** Replaces the secret. For a day, webhooks are also signed with the previous secret, but not with older secrets. */
export async function rotateEndpointSecret(
  runtime: Runtime,
  program: ProgramAccount,
  id: number,
): Promise<EndpointWithSecret | Rejection> {
  const secret = createEndpointSecret(runtime);
  const endpoint = await changeLocked(runtime, program, id, 'rotate_secret', ({ sealed_secret }) => ({
    sealed_secret: sealEndpointSecret(runtime, program.id, secret),
    previous_secret: sealed_secret,
    previous_until: runtime.now() + SECRET_ROTATION_MS,
  }));
  return isRejection(endpoint) ? endpoint : { endpoint, secret };
}

/**
 * Queues an event of the type `webhook.test` for this endpoint only. Also unblocks an endpoint that was blocked after
 * failures.
 * @returns the id of the delivery
 */
export async function sendTestEvent(
  runtime: Runtime,
  program: ProgramAccount,
  id: number,
): Promise<number | Rejection> {
  return await runtime.engine.write(program.workspaceId, async (tx) => {
    const endpoint = await findEndpoint(tx.db, program.id, id);
    if (!endpoint) return new Rejection('not_found');
    // The user wants to see the result now.
    await unblockEndpoint(tx, id);
    const message = `This is a test of the webhooks of ${program.name}.`;
    const data = { program_id: program.id, endpoint_id: id, message };
    return await insertTestDelivery(
      tx,
      id,
      { type: 'webhook.test', data, programId: program.id },
      runtime.now(),
    );
  });
}

async function changeLocked(
  runtime: Runtime,
  program: ProgramAccount,
  id: number,
  verb: 'update' | 'pause' | 'resume' | 'delete' | 'rotate_secret',
  changeOf: (before: WebhookEndpointRow) => Parameters<typeof updateEndpoint>[2],
  afterChange?: (tx: Transaction) => Promise<void>,
): Promise<WebhookEndpointRow | Rejection> {
  return await transactOrReject(runtime.engine, program.workspaceId, async (tx) => {
    if (!(await lockProgram(tx, program.id))) return new Rejection('program_not_found');
    const before = await findEndpoint(tx.db, program.id, id);
    if (!before) return new Rejection('not_found');
    const change = changeOf(before);
    if (Object.keys(change).length === 0) return before;
    const after = await updateEndpoint(tx, id, change);
    await afterChange?.(tx);
    await saveSubscriptions(tx, program.id);
    await recordEndpoint(tx, runtime, verb, before, after);
    return after;
  });
}

function checkUrl({ webhookSender }: Runtime, url: string): Rejection | null {
  const fault = findUrlFault(url, webhookSender.allowedHosts);
  return fault === null ? null : new Rejection('invalid_field', fault);
}

function unique<T>(values: readonly T[]): T[] {
  return [...new Set(values)];
}

/** The URL may contain a secret in its path or query, so the audit log contains only its origin. */
function recordEndpoint(
  tx: Transaction,
  runtime: Runtime,
  verb: string,
  before: WebhookEndpointRow | null,
  after: WebhookEndpointRow,
): Promise<void> {
  const stateOf = (endpoint: WebhookEndpointRow) => ({
    origin: new URL(endpoint.url).origin,
    description: endpoint.description,
    event_types: eventTypesOf(endpoint),
    is_paused: endpoint.paused_at !== null,
    // This time changes when the secret is replaced, so the audit log shows the rotation but not the secret.
    previous_secret_until: isoTimeOrNull(endpoint.previous_until),
  });
  return recordChange(tx, runtime, {
    workspaceId: after.workspace_id,
    programId: after.program_id,
    action: `webhook_endpoint.${verb}`,
    subjectId: after.id,
    before: before && stateOf(before),
    after: after.deleted_at === null ? stateOf(after) : null,
  });
}
