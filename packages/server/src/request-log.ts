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
 * @param isTrusted is this the address of a proxy, whose `X-Request-Id` is taken over? Others could give the same twice
 * @param log tells of each request at level `debug`: by method, path without query, status and duration
 */
export function createRequestIds(isTrusted: (address: string) => boolean, log: Logger): RequestIds {
  return {
    assign: (request: Named, response) => {
      const before = request[ID];
      if (before !== undefined) return before;
      const id = givenId(request, isTrusted) ?? makeRequestId();
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

function givenId(
  { headers, socket }: IncomingMessage,
  isTrusted: (address: string) => boolean,
): string | undefined {
  const given = headers['x-request-id'];
  if (typeof given !== 'string' || !GIVEN_ID.test(given)) return undefined;
  return isTrusted(socket.remoteAddress ?? '') ? given : undefined;
}

const ID = Symbol('request id');

/** A weak map of requests would cost the garbage collector more than all else here. */
interface Named extends IncomingMessage {
  [ID]?: string;
}
