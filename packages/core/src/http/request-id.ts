import { randomUUID } from 'node:crypto';

/** Generates an id for a request that has none. */
export function makeRequestId(): string {
  return `req_${randomUUID()}`;
}
