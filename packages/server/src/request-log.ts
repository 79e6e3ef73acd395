import type { IncomingMessage, ServerResponse } from 'node:http';
import { makeRequestId } from '@affkit/core';
import type { Logger } from 'pino';

const GIVEN_ID = /^[\w.:-]{8,128}$/;

/** Names each request, in its reply and in the log. */
export interface RequestIds {
  /** @returns the id, the same when it is asked again */
  assign(request: IncomingMessage, response: ServerResponse): string;
  idOf(request: IncomingMessage): string;
}

/**
 * @param trustGiven take over the `X-Request-Id` that a proxy in front has given; others could give the same twice
 * @param log tells of each request at level `debug`: by method, path without query, status and duration
 */
export function createRequestIds(trustGiven: boolean, log: Logger): RequestIds {
  return {
    assign: (request: Named, response) => {
      const before = request[ID];
      if (before !== undefined) return before;
      const given = trustGiven ? request.headers['x-request-id'] : undefined;
      const id = typeof given === 'string' && GIVEN_ID.test(given) ? given : makeRequestId();
      request[ID] = id;
      if (!log.isLevelEnabled('debug')) return id;
      const startedAt = performance.now();
      const { method, url = '/' } = request;
      response.once('close', () => {
        const fields = {
          request_id: id,
          method,
          path: url.replace(/\?.*$/s, ''),
          status: response.statusCode,
          duration_ms: Math.round(performance.now() - startedAt),
        };
        log.debug(fields, response.writableFinished ? 'request' : 'request aborted');
      });
      return id;
    },
    idOf: (request: Named) => request[ID] ?? '',
  };
}

const ID = Symbol('request id');

/** A weak map of requests would cost the garbage collector more than all else here. */
interface Named extends IncomingMessage {
  [ID]?: string;
}
