import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Affkit } from '../create-affkit.ts';
import { fromNodeRequest, sendNodeReply, toOriginForm } from './node-message.ts';
import type { BodyAlreadyRead } from './reply-body.ts';

/** What is used of an Express request, of version 4 or 5. */
export interface ExpressRequest extends IncomingMessage {
  readonly ip?: string | undefined;
  readonly baseUrl?: string | undefined;
  readonly secure: boolean;
}

export interface ExpressAdapterOptions<Request extends ExpressRequest = ExpressRequest> {
  /** The visitor's address; null where it is unknown. @default `req.ip` */
  readonly ip?: (request: Request) => string | null;
  /** An id that the app gave the request, for logs and `X-Request-Id`. @default one is made */
  readonly requestId?: (request: Request) => string | undefined;
}

/**
 * Middleware that answers Affkit's routes below its mount point and passes everything else on.
 * Mount it before body parsers: where one has run, the request fails with an error that says so. The visitor's
 * address and https come from `req.ip` and `req.secure`, so Express's `trust proxy` setting governs them.
 */
export function expressAdapter<Request extends ExpressRequest = ExpressRequest>(
  affkit: Pick<Affkit, 'handle'>,
  options: ExpressAdapterOptions<Request> = {},
): (request: Request, response: ServerResponse, next: (error?: unknown) => void) => void {
  return (request, response, next) => {
    let misuse: BodyAlreadyRead | undefined;
    const message = fromNodeRequest(request, {
      target: toOriginForm(request.url ?? '/'),
      basePath: request.baseUrl ?? '',
      ip: options.ip ? options.ip(request) : (request.ip ?? null),
      secure: request.secure,
      requestId: options.requestId?.(request),
      onBodyAlreadyRead: (error) => {
        misuse = error;
      },
    });
    affkit
      .handle(message)
      .then((reply) => {
        if (misuse) next(misuse);
        else if (reply) sendNodeReply(request, response, reply);
        else next();
      })
      .catch(next);
  };
}
