import {
  createWebhookEndpointRequest,
  replayWebhooksRequest,
  updateWebhookEndpointRequest,
  WEBHOOK_ID_PREFIX,
  type WebhookEvent,
  webhookDeliveriesQuery,
} from '@affkit/protocol';
import { isoTime, isoTimeOrNull } from '../domain/calendar.ts';
import { replayDeliveries, replayDelivery } from '../management/replay-webhooks.ts';
import {
  changeEndpoint,
  createEndpoint,
  deleteEndpoint,
  type EndpointWithSecret,
  pauseEndpoint,
  resumeEndpoint,
  rotateEndpointSecret,
  sendTestEvent,
} from '../management/webhook-endpoints.ts';
import { isRejection, Rejection } from '../rejection.ts';
import type { Runtime } from '../runtime.ts';
import {
  findDelivery,
  listAttempts,
  listDeliveries,
  type WebhookAttemptRow,
  type WebhookDeliveryRow,
} from '../storage/webhooks/deliveries.ts';
import {
  eventTypesOf,
  findEndpoint,
  listEndpoints,
  type WebhookEndpointRow,
} from '../storage/webhooks/endpoints.ts';
import { MAX_FAILURES } from '../webhooks/retry-policy.ts';
import { webhookBody } from '../webhooks/signature.ts';
import { pageMeta, replyWithList, rowRangeOf } from './pagination.ts';
import { type Route, replyWithFound, replyWithItem, route } from './route.ts';

const ENDPOINTS_PATH = '/api/advertiser/affiliate-programs/:id/webhook-endpoints';
const ENDPOINT_PATH = `${ENDPOINTS_PATH}/:endpointId` as const;
const DELIVERIES_PATH = `${ENDPOINT_PATH}/deliveries` as const;
/**
 * Events contain the data of customers and partners, so reading them requires the same permission as changing an
 * endpoint.
 */
const ROUTE_ACCESS = { kind: 'program_session', permission: 'webhook:write' } as const;

export const webhookEndpointRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: ENDPOINTS_PATH,
    access: ROUTE_ACCESS,
    handle: async (runtime, { caller: { program } }) => {
      // A program has at most 20 endpoints, so the list has only one page.
      const endpoints = await listEndpoints(runtime.engine.read, program.id);
      const data = endpoints.map((endpoint) => toEndpointReply(endpoint));
      const page = { page: 1, pageSize: 100 };
      return { body: { success: true, data, meta: pageMeta(page, endpoints.length) } };
    },
  }),
  route({
    method: 'POST',
    path: ENDPOINTS_PATH,
    access: ROUTE_ACCESS,
    body: createWebhookEndpointRequest,
    handle: async (runtime, { caller: { program }, body }) =>
      replyWithItem(await createEndpoint(runtime, program, body), toSecretReply, 201),
  }),
  route({
    method: 'GET',
    path: ENDPOINT_PATH,
    access: ROUTE_ACCESS,
    handle: async (runtime, { caller: { program }, params }) =>
      replyWithFound(await findEndpoint(runtime.engine.read, program.id, params.endpointId), toEndpointReply),
  }),
  route({
    method: 'PUT',
    path: ENDPOINT_PATH,
    access: ROUTE_ACCESS,
    body: updateWebhookEndpointRequest,
    handle: async (runtime, { caller: { program }, params, body }) =>
      replyWithItem(await changeEndpoint(runtime, program, params.endpointId, body), toEndpointReply),
  }),
  route({
    method: 'DELETE',
    path: ENDPOINT_PATH,
    access: ROUTE_ACCESS,
    handle: async (runtime, { caller: { program }, params }) => {
      const deleted = await deleteEndpoint(runtime, program, params.endpointId);
      return isRejection(deleted) ? deleted : { body: { success: true } };
    },
  }),
  route({
    method: 'POST',
    path: `${ENDPOINT_PATH}/rotate-secret`,
    access: ROUTE_ACCESS,
    handle: async (runtime, { caller: { program }, params }) =>
      replyWithItem(await rotateEndpointSecret(runtime, program, params.endpointId), toSecretReply),
  }),
  route({
    method: 'POST',
    path: `${ENDPOINT_PATH}/pause`,
    access: ROUTE_ACCESS,
    handle: async (runtime, { caller: { program }, params }) =>
      replyWithItem(await pauseEndpoint(runtime, program, params.endpointId), toEndpointReply),
  }),
  route({
    method: 'POST',
    path: `${ENDPOINT_PATH}/resume`,
    access: ROUTE_ACCESS,
    handle: async (runtime, { caller: { program }, params }) =>
      replyWithItem(await resumeEndpoint(runtime, program, params.endpointId), toEndpointReply),
  }),
  route({
    method: 'POST',
    path: `${ENDPOINT_PATH}/test`,
    access: ROUTE_ACCESS,
    handle: async (runtime, { caller: { program }, params }) =>
      replyWithItem(await sendTestEvent(runtime, program, params.endpointId), (delivery_id) => ({
        delivery_id,
      })),
  }),
  route({
    method: 'POST',
    path: `${ENDPOINT_PATH}/replay`,
    access: ROUTE_ACCESS,
    body: replayWebhooksRequest,
    handle: async (runtime, { caller: { program }, params, body }) =>
      replyWithItem(await replayDeliveries(runtime, program, params.endpointId, body), (replayed) => ({
        replayed,
      })),
  }),
  route({
    method: 'GET',
    path: DELIVERIES_PATH,
    access: ROUTE_ACCESS,
    query: webhookDeliveriesQuery,
    handle: async (runtime, { caller: { program }, params: { endpointId }, query }) => {
      const { read } = runtime.engine;
      if (!(await findEndpoint(read, program.id, endpointId))) return new Rejection('not_found');
      const { status, type, dateFrom: from, dateTo: to } = query;
      const filter = { status, type, from, to };
      const { deliveries, total } = await listDeliveries(read, endpointId, filter, rowRangeOf(query));
      return replyWithList(deliveries.map(toDeliveryReply), query, total);
    },
  }),
  route({
    method: 'GET',
    path: `${DELIVERIES_PATH}/:deliveryId`,
    access: ROUTE_ACCESS,
    handle: async (runtime, { caller: { program }, params }) =>
      replyWithItem(
        await readDelivery(runtime, program.id, params.endpointId, params.deliveryId),
        (delivery) => delivery,
      ),
  }),
  route({
    method: 'POST',
    path: `${DELIVERIES_PATH}/:deliveryId/replay`,
    access: ROUTE_ACCESS,
    handle: async (runtime, { caller: { program }, params: { endpointId, deliveryId } }) => {
      const rejection = await replayDelivery(runtime, program, endpointId, deliveryId);
      if (rejection) return rejection;
      return replyWithItem(
        await readDelivery(runtime, program.id, endpointId, deliveryId),
        (delivery) => delivery,
      );
    },
  }),
];

async function readDelivery(
  { engine: { read } }: Runtime,
  programId: number,
  endpointId: number,
  deliveryId: number,
) {
  const endpoint = await findEndpoint(read, programId, endpointId);
  const delivery = endpoint && (await findDelivery(read, endpoint.id, deliveryId));
  if (!delivery) return new Rejection('not_found');
  const attempts = await listAttempts(read, delivery.id);
  return {
    ...toDeliveryReply(delivery),
    event: JSON.parse(webhookBody(delivery)) as WebhookEvent,
    log: attempts.map(toAttemptReply),
  };
}

function toEndpointReply(endpoint: WebhookEndpointRow) {
  return {
    id: endpoint.id,
    program_id: endpoint.program_id,
    url: endpoint.url,
    description: endpoint.description,
    event_types: eventTypesOf(endpoint),
    status: endpointStatusOf(endpoint),
    failures: endpoint.failures,
    next_attempt_at: isoTimeOrNull(endpoint.blocked_until === 0 ? null : endpoint.blocked_until),
    paused_at: isoTimeOrNull(endpoint.paused_at),
    last_success_at: isoTimeOrNull(endpoint.last_success_at),
    last_failure_at: isoTimeOrNull(endpoint.last_failure_at),
    previous_secret_until: isoTimeOrNull(endpoint.previous_until),
    created_at: isoTime(endpoint.created_at),
  };
}

function endpointStatusOf(endpoint: WebhookEndpointRow): 'active' | 'failing' | 'paused' | 'gone' {
  if (endpoint.paused_at !== null) return endpoint.pause_reason === 'gone' ? 'gone' : 'paused';
  return endpoint.failures >= MAX_FAILURES ? 'failing' : 'active';
}

function toSecretReply({ endpoint, secret }: EndpointWithSecret) {
  return { ...toEndpointReply(endpoint), secret };
}

function toDeliveryReply(delivery: WebhookDeliveryRow) {
  return {
    id: delivery.id,
    endpoint_id: delivery.endpoint_id,
    webhook_id: `${WEBHOOK_ID_PREFIX}${delivery.event_id}`,
    event_type: delivery.event_type,
    status: delivery.status,
    attempts: delivery.attempts,
    next_attempt_at: isoTimeOrNull(delivery.run_at),
    last_status: delivery.last_status,
    last_error: delivery.last_error,
    created_at: isoTime(delivery.created_at),
    finished_at: isoTimeOrNull(delivery.finished_at),
  };
}

function toAttemptReply(attempt: WebhookAttemptRow) {
  const headersOf = (text: string) => JSON.parse(text) as Record<string, string>;
  return {
    attempt: attempt.attempt,
    attempted_at: isoTime(attempt.attempted_at),
    duration_ms: attempt.duration_ms,
    request_headers: headersOf(attempt.request_headers),
    status: attempt.status,
    response_headers: attempt.response_headers === null ? null : headersOf(attempt.response_headers),
    response_body: attempt.response_body,
    error: attempt.error,
  };
}
