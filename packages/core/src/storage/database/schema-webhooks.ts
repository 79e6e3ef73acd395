import type { WebhookEventType } from '@affkit/protocol';
import type { Generated } from 'kysely';

/** An address of the advertiser's server to which events of a program are sent. */
export interface WebhookEndpointTable {
  id: Generated<number>;
  workspace_id: number;
  program_id: number;
  url: string;
  description: string | null;
  /** A JSON list of event types. */
  event_types: string;
  /** The secrets are encrypted with a key of the service. */
  sealed_secret: string;
  /** The secret before the last rotation. Until `previous_until`, webhooks are also signed with it. */
  previous_secret: string | null;
  previous_until: number | null;
  paused_at: number | null;
  /** `gone` if the endpoint was paused because it answered with 410. */
  pause_reason: 'user' | 'gone' | null;
  /** The number of failed attempts since the last success. */
  failures: Generated<number>;
  /** No attempt is made before this time, because too many attempts have failed. */
  blocked_until: Generated<number>;
  /** Counts the leases, so that a process recognizes that its lease was taken over. */
  lease: Generated<number>;
  /**
   * The end of the lease of the process that sends to this endpoint. If no process is sending, the time when the
   * last round of sending ended.
   */
  leased_until: Generated<number>;
  last_success_at: number | null;
  last_failure_at: number | null;
  created_at: number;
  deleted_at: number | null;
}

/** An event of a program. Webhooks contain its id as `sequence`. */
export interface WebhookEventTable {
  id: Generated<number>;
  program_id: number;
  type: WebhookEventType;
  /** JSON. */
  data: string;
  /** A second event of the program with the same key is not stored. */
  dedupe_key: string | null;
  created_at: number;
}

/** The delivery of an event to an endpoint. */
export interface WebhookDeliveryTable {
  id: Generated<number>;
  endpoint_id: number;
  event_id: number;
  event_type: WebhookEventType;
  status: 'queued' | 'succeeded' | 'failed';
  attempts: Generated<number>;
  /**
   * The value of `attempts` when the delivery was created or last replayed. The delay of a retry depends only on later
   * attempts.
   */
  first_attempt: Generated<number>;
  /** The time of the next attempt. Null when the delivery is finished. */
  run_at: number | null;
  /** The time after which the delivery is not tried again. */
  expires_at: number;
  last_status: number | null;
  last_error: string | null;
  created_at: number;
  finished_at: number | null;
}

/** A request of a delivery, and its response. Headers are JSON objects. */
export interface WebhookAttemptTable {
  id: Generated<number>;
  delivery_id: number;
  attempt: number;
  attempted_at: number;
  duration_ms: number;
  request_headers: string;
  /** Null when there was no response. */
  status: number | null;
  response_headers: string | null;
  /** The first 1,024 bytes of the response, as text. */
  response_body: string | null;
  error: string | null;
}
