import { randomUUID } from 'node:crypto';

/** Generates an id for a request without an id. */
export function makeRequestId(): string {
  return `req_${randomUUID()}`;
}
