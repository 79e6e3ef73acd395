import type { AttemptInfo } from '../src/hooks.ts';
import { AffkitManagement, type ManagementOptions } from '../src/management/index.ts';
import type { Transport, TransportRequest } from '../src/transport.ts';
import { manualClock } from './manual-clock.ts';

export const KEY = 'affk_SecretOfTheKey';

/** Returns the body of a page of rows. */
export const pageOf = (rows: readonly object[], more: object = {}) => ({
  success: true,
  data: rows,
  meta: { pagination: { page: 1, pageCount: 1, pageSize: 100, total: rows.length, ...more } },
});

/** Returns an error response in the format of Affkit. */
export const affkitError = (status: number, code: string) =>
  Response.json({ error: 'An error of Affkit', code, request_id: 'req-1' }, { status });

/** A response, an error that the transport throws, or a function that returns the response to a request. */
type Reply = Response | Error | ((request: TransportRequest) => Response);

/**
 * Returns a management client whose retry delays elapse immediately, and everything that this client sent and
 * reported.
 * @param replies the replies to the requests, in order; the last one is repeated. Without replies, each reply is an
 * empty page
 */
export function makeManagement(replies: readonly Reply[], options: ManagementOptions = {}) {
  const requests: TransportRequest[] = [];
  const attempts: AttemptInfo<string>[] = [];
  const warnings: string[] = [];
  const clock = manualClock();
  const transport: Transport = async (request) => {
    const reply = replies[Math.min(requests.length, replies.length - 1)] ?? Response.json(pageOf([]));
    requests.push(request);
    if (reply instanceof Error) throw reply;
    return reply instanceof Response ? reply.clone() : reply(request);
  };
  const client = new AffkitManagement({
    apiKey: KEY,
    baseUrl: 'https://affkit.test/api-base',
    programId: 3,
    transport,
    logger: { debug() {}, info() {}, warn: (message) => warnings.push(message), error() {} },
    runtime: clock,
    hooks: {
      onAttempt: (info) => attempts.push(info),
      onRetry: ({ delayMs }) => queueMicrotask(() => clock.advance(delayMs)),
    },
    ...options,
  });
  return { client, requests, attempts, warnings, clock };
}
