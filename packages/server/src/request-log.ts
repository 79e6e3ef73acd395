import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { RequestHandler } from 'express';
import type { Logger } from 'pino';

const GIVEN_ID = /^[\w.:-]{8,128}$/;

/** Names each request, in its reply and in the log. */
export interface RequestIds {
  readonly middleware: RequestHandler;
  idOf(request: IncomingMessage): string;
}

/**
 * @param trustGiven take over the `X-Request-Id` that a proxy in front has given; others could give the same twice
 * @param log tells of each request at level `debug`: by method, path without query, status and duration
 */
export function createRequestIds(trustGiven: boolean, log: Logger): RequestIds {
  const ids = new WeakMap<IncomingMessage, string>();
  return {
    middleware: (request, response, next) => {
      const given = trustGiven ? request.get('x-request-id') : undefined;
      const id =
        given !== undefined && GIVEN_ID.test(given) ? given : `req_${randomUUID().replaceAll('-', '')}`;
      ids.set(request, id);
      response.setHeader('X-Request-Id', id);
      if (log.isLevelEnabled('debug')) {
        const startedAt = performance.now();
        const { method, path } = request;
        response.once('close', () => {
          const fields = {
            request_id: id,
            method,
            path,
            status: response.statusCode,
            duration_ms: Math.round(performance.now() - startedAt),
          };
          log.debug(fields, response.writableFinished ? 'request' : 'request aborted');
        });
      }
      next();
    },
    idOf: (request) => ids.get(request) ?? '',
  };
}
