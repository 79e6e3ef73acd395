import { IncomingMessage, type RequestListener, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import {
  type Affkit,
  type HttpReply,
  makeErrorReply,
  type ReplicaState,
  type StaticDocument,
} from '@affkit/core';
import { expressAdapter } from '@affkit/core/express';
import { nodeAdapter } from '@affkit/core/node';
import express, { type ErrorRequestHandler, type Express, type Request, type RequestHandler } from 'express';
import helmet from 'helmet';
import type { Logger } from 'pino';
import type { ServerConfig } from './config.ts';
import { describeClient } from './describe-client.ts';
import { hasSeveralHosts } from './host-header.ts';
import { isUnconfiguredProxy } from './ip-addresses.ts';
import { createMetrics, type Metrics, mayReadMetrics } from './metrics.ts';
import { createRequestIds } from './request-log.ts';
import { sendError } from './send-error.ts';
import { DEFAULT_ENDPOINTS, type TrackerScript } from './tracker-script.ts';

/** The security headers that tracking responses need. The other headers that helmet sets affect only pages. */
const TRACKING_HEADERS = [
  'cross-origin-resource-policy',
  'strict-transport-security',
  'x-content-type-options',
] as const;

/** Sent only over https. Over http, browsers ignore these headers and log a warning for each page. */
const SECURE_ONLY: ReadonlySet<string> = new Set(['cross-origin-opener-policy', 'origin-agent-cluster']);

const UNKNOWN_PATH = '/-';

export interface AppParts {
  readonly affkit: Pick<Affkit, 'handle'>;
  readonly config: Pick<ServerConfig, 'trustProxy' | 'metricsToken'>;
  readonly log: Logger;
  readonly tracker: TrackerScript;
  /** Serves the dashboard at `/app`. If undefined, there is no dashboard and `/` shows the documentation. */
  readonly dashboard?: RequestHandler | undefined;
  /** Whether the server is ready to process requests. */
  readonly isReady: () => Promise<boolean>;
  /** @default new metrics of this process */
  readonly metrics?: Metrics;
  /** Returns the state of the read replica, or undefined if there is none. */
  readonly replicaState?: () => ReplicaState | undefined;
}

/**
 * Creates the request listener with the routes of Affkit and the server's own routes (health, metrics,
 * tracker).
 */
export function createApp(parts: AppParts): RequestListener {
  const { affkit, config, log, tracker } = parts;
  const app = express();
  const metrics = parts.metrics ?? createMetrics({ replicaState: parts.replicaState });

  app.disable('x-powered-by');
  app.set('etag', false);
  app.set('trust proxy', config.trustProxy);
  // Express compiles `trust proxy` to a function that returns whether an address is a trusted proxy. `hops` is
  // 0 for the direct peer.
  const isTrustedProxy: (address: string, hops: number) => boolean = app.get('trust proxy fn');
  const ids = createRequestIds((address) => isTrustedProxy(address, 0), log);
  const security = readSecurityHeaders();
  const securityFields = new Map(Object.entries(security));
  const plainFields = new Map([...securityFields].filter(([name]) => !SECURE_ONLY.has(name)));
  app.use((request, response, next) => {
    response.setHeader('X-Request-Id', ids.assign(request, response));
    response.setHeaders(request.secure ? securityFields : plainFields);
    next();
  });

  const ipOf = (request: Request) => {
    const ip = request.ip ?? null;
    const isForwarding = request.headers['x-forwarded-for'] !== undefined;
    return isUnconfiguredProxy({ ip, isForwarding }, config.trustProxy) ? null : ip;
  };
  const trackingPaths = mapTrackingPaths(tracker);
  // Match these paths before the dashboard, because `TRACKING_PATH` may begin with `/app`.
  app.use((request, _response, next) => {
    const path = trackingPaths.get(request.path);
    const queryStart = request.url.indexOf('?');
    if (path !== undefined) request.url = queryStart === -1 ? path : path + request.url.slice(queryStart);
    next();
  });
  addServerRoutes(app, parts, { metrics, ipOf });

  const handle = metrics.instrument(affkit.handle);
  app.use(expressAdapter({ handle }, { requestId: ids.idOf, ip: ipOf }));
  app.use((_request, response) => sendError(response, 'route_not_found'));
  app.use(sendUnexpectedError(log, ids.idOf));

  const toExpressRequest = createExpressView(app);
  const track = nodeAdapter(
    { handle },
    {
      headers: pickHeaders(security, TRACKING_HEADERS),
      requestId: ids.idOf,
      ip: (request) => ipOf(toExpressRequest(request)),
      secure: (request) => toExpressRequest(request).secure,
      onError: (error, requestId) => logFailure(log, error, requestId),
    },
  );
  const reject = nodeAdapter(
    { handle: async ({ requestId = '' }) => closeAfter(makeErrorReply('malformed_request', requestId)) },
    { requestId: ids.idOf },
  );
  return (request, response) => {
    if (hasSeveralHosts(request)) {
      ids.assign(request, response);
      reject(request, response);
      return;
    }
    const path = trackingPaths.get(request.url ?? '');
    if (path !== undefined && request.method === 'POST') {
      // Tracking requests bypass Express, because its router would double their processing time.
      ids.assign(request, response);
      request.url = path;
      track(request, response);
      return;
    }
    // If Express cannot parse the request target, it skips our middleware and sends its own error page. Replace such a
    // target with an unknown path, so that the client gets the usual 404.
    if (!isValidTarget(request.url ?? '')) request.url = UNKNOWN_PATH;
    app(request, response);
  };
}

function addServerRoutes(
  app: Express,
  { config, tracker, dashboard, isReady, replicaState }: AppParts,
  { metrics, ipOf }: { readonly metrics: Metrics; readonly ipOf: (request: Request) => string | null },
): void {
  // Match these paths before the dashboard, because `TRACKER_SCRIPT_PATH` may begin with `/app`.
  for (const [path, document] of tracker.documents) routeGet(app, path, serveDocument(document));
  if (dashboard) app.use('/app', dashboard);
  routeGet(app, '/', (request, response, next) => {
    if (dashboard) {
      response.redirect('/app');
      return;
    }
    request.url = '/docs';
    next('route');
  });
  routeGet(app, '/healthz', (_request, response) => {
    response.json({ success: true, status: 'ok' });
  });
  routeGet(app, '/readyz', async (_request, response) => {
    const replica = replicaState?.();
    if (await isReady())
      response.json({ success: true, status: 'ready', ...(replica && { replica: replicaReply(replica) }) });
    else sendError(response, 'unavailable');
  });
  const requireMetricsToken: RequestHandler = (request, response, next) => {
    if (mayReadMetrics(request, config)) next();
    else if (config.metricsToken === undefined) sendError(response, 'forbidden');
    else sendError(response, 'unauthenticated', { 'www-authenticate': 'Bearer' });
  };
  routeGet(app, '/metrics', requireMetricsToken, async (_request, response) => {
    response.type(metrics.contentType).send(await metrics.render());
  });
  routeGet(app, '/diagnostics', requireMetricsToken, (request, response) => {
    response.set('cache-control', 'no-store').json(describeClient(request, ipOf(request)));
  });
}

function replicaReply({ status, lagMs }: ReplicaState) {
  return { status, lag_seconds: lagMs === null ? null : Math.round(lagMs) / 1000 };
}

/**
 * Maps each public path of a tracking endpoint to the path of its route. Public paths are the default paths
 * and those from `TRACKING_PATH`.
 */
function mapTrackingPaths({ endpoints }: TrackerScript): ReadonlyMap<string, string> {
  const paths = new Map(
    ['click', 'lead', 'sale', 'refund'].map((name) => {
      const path = `${DEFAULT_ENDPOINTS}/${name}`;
      return [path, path];
    }),
  );
  for (const name of ['click', 'lead']) paths.set(`${endpoints}/${name}`, `${DEFAULT_ENDPOINTS}/${name}`);
  return paths;
}

/** Returns the headers that helmet sets. They are the same for every request, so they are computed once. */
function readSecurityHeaders(): Readonly<Record<string, string>> {
  const request = new IncomingMessage(new Socket());
  const response = new ServerResponse(request);
  // The server may share a host with a shop. HSTS must not apply to the shop's subdomains.
  const setHeaders = helmet({ strictTransportSecurity: { includeSubDomains: false } });
  setHeaders(request, response, () => {});
  return Object.fromEntries(
    response.getHeaderNames().map((name) => [name, String(response.getHeader(name))]),
  );
}

/** @throws when a header is missing */
function pickHeaders(
  headers: Readonly<Record<string, string>>,
  names: readonly string[],
): Readonly<Record<string, string>> {
  const picked = names.map((name) => {
    const value = headers[name];
    if (value === undefined) throw new Error(`helmet sets no ${name}`);
    return [name, value] as const;
  });
  return Object.fromEntries(picked);
}

/**
 * Returns a function that creates an Express request with the socket and headers of a Node request. `ip` and
 * `secure` of the new request depend on `trust proxy`. The Node request is not changed.
 */
function createExpressView(app: Express): (request: IncomingMessage) => Request {
  return ({ socket, headers }) => Object.assign(Object.create(app.request) as Request, { socket, headers });
}

/** Whether the request target is a path or an absolute URL, as sent to proxies. */
function isValidTarget(target: string): boolean {
  return target.startsWith('/') || URL.canParse(target);
}

function closeAfter(reply: HttpReply): HttpReply {
  return { ...reply, headers: { ...reply.headers, connection: 'close' } };
}

function routeGet(app: Express, path: string, ...handlers: RequestHandler[]): void {
  app
    .route(path)
    .get(...handlers)
    .all((_request, response) => sendError(response, 'method_not_allowed', { allow: 'GET, HEAD' }));
}

function serveDocument(document: StaticDocument): RequestHandler {
  return (request, response) => {
    const { status, headers, body } = document.reply((name) => request.get(name));
    response.status(status).set(headers).end(body);
  };
}

function logFailure(log: Logger, error: unknown, requestId: string): void {
  log.error({ err: error, request_id: requestId }, 'request failed');
}

function sendUnexpectedError(log: Logger, idOf: (request: express.Request) => string): ErrorRequestHandler {
  return (error: unknown, request, response, next) => {
    logFailure(log, error, idOf(request));
    if (response.headersSent) next(error);
    else sendError(response, 'internal_error');
  };
}
