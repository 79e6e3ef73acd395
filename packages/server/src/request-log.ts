import type { IncomingMessage, ServerResponse } from 'node:http';
import { makeRequestId } from '@affkit/core';
import type { Logger } from 'pino';

const VALID_ID = /^[\w.:-]{8,128}$/;

/** Assigns the request ids in responses and log lines. */
export interface RequestIds {
  /** Assigns an id on the first call. Later calls return the same id. */
  assign(request: IncomingMessage, response: ServerResponse): string;
  /** @returns the assigned id, or `''` */
  idOf(request: IncomingMessage): string;
}

/**
 * @param isTrusted whether the address is a trusted proxy. The `X-Request-Id` of any other client is ignored,
 * because the client could send the same id twice
 * @param log logs the method, path without query, status and duration of each request at level `debug`
 */
export function createRequestIds(isTrusted: (address: string) => boolean, log: Logger): RequestIds {
  return {
    assign: (request: RequestWithId, response) => {
      const assigned = request[REQUEST_ID];
      if (assigned !== undefined) return assigned;
      const id = readProxyId(request, isTrusted) ?? makeRequestId();
      request[REQUEST_ID] = id;
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
    idOf: (request: RequestWithId) => request[REQUEST_ID] ?? '',
  };
}

function readProxyId(
  { headers, socket }: IncomingMessage,
  isTrusted: (address: string) => boolean,
): string | undefined {
  const id = headers['x-request-id'];
  if (typeof id !== 'string' || !VALID_ID.test(id)) return undefined;
  return isTrusted(socket.remoteAddress ?? '') ? id : undefined;
}

const REQUEST_ID = Symbol('request id');

/** The id is a property of the request, because a `WeakMap` would cause too much garbage collection. */
interface RequestWithId extends IncomingMessage {
  [REQUEST_ID]?: string;
}
