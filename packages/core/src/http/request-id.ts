import { randomUUID } from 'node:crypto';

/** Names a request that nobody has named. */
export function makeRequestId(): string {
  return `req_${randomUUID()}`;
}
