import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Affkit } from '../create-affkit.ts';
import { fromNodeRequest, sendNodeResponse, toOriginForm } from './node-message.ts';
import type { BodyAlreadyRead } from './response-body.ts';

/** The properties of an Express 4 or 5 request that the adapter uses. */
export interface ExpressRequest extends IncomingMessage {
  readonly ip?: string | undefined;
  readonly baseUrl?: string | undefined;
  readonly secure: boolean;
}

export interface ExpressAdapterOptions<Request extends ExpressRequest = ExpressRequest> {
  /** Returns the visitor's IP address, or null if it is unknown. @default `req.ip` */
  readonly ip?: (request: Request) => string | null;
  /** Returns the request id for logs and `X-Request-Id`. @default a generated id */
  readonly requestId?: (request: Request) => string | undefined;
}

/**
 * Returns Express middleware that handles Affkit's routes below its mount point and calls `next()` for all
 * others.
 *
 * Mount it before body parsers. If another middleware has already read a body that Affkit needs, the request
 * fails with `BodyAlreadyRead`. The adapter reads the visitor's IP address from `req.ip` and the protocol
 * from `req.secure`. Both depend on Express's `trust proxy` setting.
 */
export function expressAdapter<Request extends ExpressRequest = ExpressRequest>(
  affkit: Pick<Affkit, 'handle'>,
  options: ExpressAdapterOptions<Request> = {},
): (request: Request, response: ServerResponse, next: (error?: unknown) => void) => void {
  return (request, response, next) => {
    let bodyError: BodyAlreadyRead | undefined;
    const message = fromNodeRequest(request, {
      target: toOriginForm(request.url ?? '/'),
      basePath: request.baseUrl ?? '',
      ip: options.ip ? options.ip(request) : (request.ip ?? null),
      secure: request.secure,
      requestId: options.requestId?.(request),
      onBodyAlreadyRead: (error) => {
        bodyError = error;
      },
    });
    affkit
      .handle(message)
      .then((reply) => {
        if (bodyError) next(bodyError);
        else if (reply) sendNodeResponse(request, response, reply);
        else next();
      })
      .catch(next);
  };
}
