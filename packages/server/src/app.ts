import { IncomingMessage, type RequestListener, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { Affkit } from '@affkit/core';
import { expressAdapter } from '@affkit/core/express';
import { nodeAdapter } from '@affkit/core/node';
import express, {
  type ErrorRequestHandler,
  type Express,
  type Request,
  type RequestHandler,
  type Response,
} from 'express';
import helmet from 'helmet';
import type { Logger } from 'pino';
import { isHiddenProxy } from './addresses.ts';
import type { ServerConfig } from './config.ts';
import { sendError } from './error-reply.ts';
import { createMetrics, type Metrics, mayReadMetrics } from './metrics.ts';
import { createRequestIds } from './request-log.ts';
import { DEFAULT_ENDPOINTS, type TrackerScript } from './tracker-script.ts';

/** For how long browsers keep the tracker before they ask again. */
const TRACKER_MAX_AGE_SECONDS = 300;
/** What is at a versioned address never changes. */
const VERSION_MAX_AGE_SECONDS = 31_536_000;

/** Of helmet's headers those that browsers heed on an answer to a script. The others are about pages, and not for free. */
const DATA_HEADERS = [
  'cross-origin-resource-policy',
  'strict-transport-security',
  'x-content-type-options',
] as const;

/** A path that no route has. */
const NOWHERE = '/-';

/** What the app is put together from. */
export interface AppParts {
  readonly affkit: Pick<Affkit, 'handle'>;
  readonly config: Pick<ServerConfig, 'trustProxy' | 'metricsToken'>;
  readonly log: Logger;
  readonly tracker: TrackerScript;
  /** Can requests be answered now? */
  readonly isReady: () => Promise<boolean>;
}

/** The Express app: Affkit's routes, and those that only a server of its own has. */
export function createApp(parts: AppParts): RequestListener {
  const { affkit, config, log, tracker } = parts;
  const app = express();
  const metrics = createMetrics();

  app.disable('x-powered-by');
  app.set('etag', false);
  app.set('trust proxy', config.trustProxy);
  // What Express makes of the setting: is an address, so many proxies away, one of them?
  const isProxy: (address: string, distance: number) => boolean = app.get('trust proxy fn');
  const ids = createRequestIds((address) => isProxy(address, 0), log);
  const security = readSecurityHeaders();
  const securityFields = new Map(Object.entries(security));
  app.use((request, response, next) => {
    response.setHeader('X-Request-Id', ids.assign(request, response));
    response.setHeaders(securityFields);
    next();
  });

  addOwnRoutes(app, parts, metrics);
  const events = eventTargets(tracker);
  app.use((request, _response, next) => {
    const target = events.get(request.path);
    const mark = request.url.indexOf('?');
    if (target !== undefined) request.url = mark === -1 ? target : target + request.url.slice(mark);
    next();
  });

  const ipOf = (request: Request) => {
    const ip = request.ip ?? null;
    const isForwarding = request.headers['x-forwarded-for'] !== undefined;
    return isHiddenProxy({ ip, isForwarding }, config.trustProxy) ? null : ip;
  };
  const handle = metrics.count(affkit.handle);
  app.use(expressAdapter({ handle }, { requestId: ids.idOf, ip: ipOf }));
  app.use((_request, response) => sendError(response, 'route_not_found'));
  app.use(reportError(log, ids.idOf));

  const asExpress = expressView(app);
  const track = nodeAdapter(
    { handle },
    {
      headers: pick(security, DATA_HEADERS),
      requestId: ids.idOf,
      ip: (request) => ipOf(asExpress(request)),
      secure: (request) => asExpress(request).secure,
      onError: (error, requestId) => tellFailure(log, error, requestId),
    },
  );
  return (request, response) => {
    const target = events.get(request.url ?? '');
    if (target !== undefined && request.method === 'POST') {
      // Events, which may be very many, go around Express: its router alone costs as much as what they need.
      ids.assign(request, response);
      request.url = target;
      track(request, response);
      return;
    }
    // Express runs nothing of ours for a target that it can't read: it answers with a page of its own.
    if (!isReadable(request.url ?? '')) request.url = NOWHERE;
    app(request, response);
  };
}

function addOwnRoutes(app: Express, { config, tracker, isReady }: AppParts, metrics: Metrics): void {
  get(app, '/', (_request, response) => response.redirect('/docs'));
  get(app, '/healthz', (_request, response) => {
    response.json({ success: true, status: 'ok' });
  });
  get(app, '/readyz', async (_request, response) => {
    if (await isReady()) response.json({ success: true, status: 'ready' });
    else sendError(response, 'unavailable');
  });
  get(app, '/metrics', async (request, response) => {
    if (!mayReadMetrics(request, config)) {
      if (config.metricsToken === undefined) sendError(response, 'forbidden');
      else sendError(response, 'unauthenticated', { 'www-authenticate': 'Bearer' });
      return;
    }
    response.type(metrics.contentType).send(await metrics.render());
  });
  for (const path of tracker.paths) get(app, path, serveScript(tracker));
  get(app, tracker.versionedPath, serveVersion(tracker));
}

/** Where events come in; those of browsers also by the address that the operator has for them. */
function eventTargets({ endpoints }: TrackerScript): ReadonlyMap<string, string> {
  const targets = new Map(
    ['click', 'lead', 'sale', 'refund'].map((name) => {
      const target = `${DEFAULT_ENDPOINTS}/${name}`;
      return [target, target];
    }),
  );
  for (const name of ['click', 'lead']) targets.set(`${endpoints}/${name}`, `${DEFAULT_ENDPOINTS}/${name}`);
  return targets;
}

/** What helmet sets on every response: it depends on no request. */
function readSecurityHeaders(): Readonly<Record<string, string>> {
  const request = new IncomingMessage(new Socket());
  const response = new ServerResponse(request);
  // The server may stand on the host of a shop, whose other hosts are not its own to decide on.
  const protect = helmet({ strictTransportSecurity: { includeSubDomains: false } });
  protect(request, response, () => {});
  return Object.fromEntries(
    response.getHeaderNames().map((name) => [name, String(response.getHeader(name))]),
  );
}

/** @throws where there is none of a name */
function pick(
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

/** Shows a request as Express sees it, by its `trust proxy`: address and protocol. The request itself stays as it is. */
function expressView(app: Express): (request: IncomingMessage) => Request {
  return ({ socket, headers }) => Object.assign(Object.create(app.request) as Request, { socket, headers });
}

/** A path, or a whole URL as clients send it to a proxy. */
function isReadable(target: string): boolean {
  return target.startsWith('/') || URL.canParse(target);
}

function get(app: Express, path: string, handler: RequestHandler): void {
  app
    .route(path)
    .get(handler)
    .all((_request, response) => sendError(response, 'method_not_allowed', { allow: 'GET, HEAD' }));
}

function serveScript(tracker: TrackerScript): RequestHandler {
  return (request, response) => {
    response.set({
      'cache-control': `public, max-age=${TRACKER_MAX_AGE_SECONDS}`,
      'cross-origin-resource-policy': 'cross-origin',
      // Weak, for gzipped or not it is the same one.
      etag: `W/"${tracker.integrity}"`,
    });
    sendScript(request, response, tracker);
  };
}

/** Without CORS a browser can't compare a script of another origin with its `integrity`. */
function serveVersion(tracker: TrackerScript): RequestHandler {
  return (request, response) => {
    response.set({
      'access-control-allow-origin': '*',
      'cache-control': `public, max-age=${VERSION_MAX_AGE_SECONDS}, immutable`,
      'cross-origin-resource-policy': 'cross-origin',
    });
    sendScript(request, response, tracker);
  };
}

/** Gzipped by itself: proxies compress scripts only where they are told to. Express makes what is fresh a 304, which has no encoding. */
function sendScript(request: Request, response: Response, { source, gzipped }: TrackerScript): void {
  response.type('text/javascript').vary('accept-encoding');
  if (!request.fresh && request.acceptsEncodings('gzip'))
    response.set('content-encoding', 'gzip').send(gzipped);
  else response.send(source);
}

function tellFailure(log: Logger, error: unknown, requestId: string): void {
  log.error({ err: error, request_id: requestId }, 'request failed');
}

function reportError(log: Logger, idOf: (request: express.Request) => string): ErrorRequestHandler {
  return (error: unknown, request, response, next) => {
    tellFailure(log, error, idOf(request));
    if (response.headersSent) next(error);
    else sendError(response, 'internal_error');
  };
}
