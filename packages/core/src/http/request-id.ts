import { randomUUID } from 'node:crypto';

/** Generates an id for a request that came without one. */
export function makeRequestId(): string {
  return `req_${randomUUID()}`;
}
