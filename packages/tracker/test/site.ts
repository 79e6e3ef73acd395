import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo, Server } from 'node:net';
import { selfSignedCertificate } from './certificate.ts';

/** A request that reached the tracking host. */
export interface TrackedRequest {
  method: string;
  path: string;
  headers: IncomingMessage['headers'];
  body: { additional_data?: { idempotency_key?: string }; [field: string]: unknown };
}

/** What the tracking host answers to one request. */
export interface SiteResponse {
  status: number;
  body: object;
  headers?: Record<string, string>;
}

/** What one page answers beside its HTML. */
interface PageResponse {
  html: string;
  headers: Record<string, string>;
}

/**
 * A shop and its tracking hosts, all on one port of the loopback, and again by https on another; `/js/` and
 * `/api/` answer on each.
 */
export interface Site {
  readonly shop: string;
  readonly secureShop: string;
  readonly track: string;
  readonly secureTrack: string;
  readonly ownTrack: string;
  /** Another site of the same owner, to which the shop may link. */
  readonly otherShop: string;
  /** The origin of any host of the site. */
  at(host: string): string;
  /** Requests to the two endpoints, preflights included, in order. */
  readonly requests: TrackedRequest[];
  /** HTML of a shop page by its path; other paths have the plain tag in them. */
  readonly pages: Map<string, string | PageResponse>;
  /** Decides the answers; may wait. */
  respond: (hit: TrackedRequest) => SiteResponse | Promise<SiteResponse>;
  /** Resolves once `count` hits are there. */
  waitForRequests(count: number): Promise<void>;
  reset(): void;
  close(): Promise<void>;
}

const SHOP_HOST = 'www.shop.test';
const TRACK_HOST = 'track.test';
/** The tracking host as a host of the shop's own site. */
const OWN_TRACK_HOST = 'track.shop.test';
const OTHER_SHOP_HOST = 'www.other.test';

/** The answer to a click: an id of the partner's code, and the program's window. */
export function trackedClick(hit: TrackedRequest): SiteResponse {
  const code = new URL(String(hit.body['affiliate_url'])).searchParams.get('aff');
  return {
    status: 200,
    body: {
      success: true,
      click_id: `clk_${code}`,
      partner_code: code,
      attributed_partner_code: code,
      attribution_model: 'last_click',
      cookie_window_days: 30,
    },
  };
}

export const unavailable: SiteResponse = { status: 503, body: { error: 'busy', code: 'unavailable' } };

/** A click, or a lead, that is recorded. */
export const tracked = (hit: TrackedRequest): SiteResponse =>
  hit.path.endsWith('/lead')
    ? { status: 200, body: { success: true, message: 'Lead tracked successfully' } }
    : trackedClick(hit);

async function readText(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) text += chunk;
  return text;
}

/** Starts the site on a free port, with `script` at the tracking host's `/js/affkit.js`. */
export async function startSite(script: string): Promise<Site> {
  const hits: TrackedRequest[] = [];
  const pages = new Map<string, string | PageResponse>();
  const waiting: { count: number; resolve: () => void }[] = [];

  async function track(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url: path = '', headers } = request;
    if (path.endsWith('/js/affkit.js')) {
      response
        .writeHead(200, { 'Content-Type': 'text/javascript', 'Access-Control-Allow-Origin': '*' })
        .end(script);
      return;
    }
    const text = await readText(request);
    const hit: TrackedRequest = { method, path, headers, body: text ? JSON.parse(text) : {} };
    hits.push(hit);
    for (const waiter of waiting) if (hits.length >= waiter.count) waiter.resolve();
    const answer = await site.respond(hit);
    response
      .writeHead(answer.status, {
        'Content-Type': 'application/json',
        'Access-Control-Allow-Origin': headers.origin ?? '',
        'Access-Control-Allow-Credentials': 'true',
        'Access-Control-Expose-Headers': 'Retry-After',
        ...answer.headers,
      })
      .end(JSON.stringify(answer.body));
  }

  function serve(request: IncomingMessage, response: ServerResponse): void {
    const path = new URL(request.url ?? '/', 'http://shop').pathname;
    if (/^(\/t)?\/(js|api)\//.test(path)) {
      track(request, response).catch((error) => response.destroy(error));
      return;
    }
    const page = pages.get(path) ?? `<title>Shop</title><script src="${site.track}/js/affkit.js"></script>`;
    const { html, headers } = typeof page === 'string' ? { html: page, headers: {} } : page;
    response
      .writeHead(200, { 'Content-Type': 'text/html', 'Cache-Control': 'no-store', ...headers })
      .end(html);
  }

  const server = createServer(serve);
  const secureServer = createSecureServer(selfSignedCertificate(), serve);
  const port = await listen(server);
  const securePort = await listen(secureServer);

  const site: Site = {
    shop: `http://${SHOP_HOST}:${port}`,
    secureShop: `https://${SHOP_HOST}:${securePort}`,
    track: `http://${TRACK_HOST}:${port}`,
    secureTrack: `https://${TRACK_HOST}:${securePort}`,
    otherShop: `http://${OTHER_SHOP_HOST}:${port}`,
    at: (host) => `http://${host}:${port}`,
    ownTrack: `http://${OWN_TRACK_HOST}:${port}`,
    requests: hits,
    pages,
    respond: tracked,
    waitForRequests: (count) =>
      new Promise((resolve) => {
        waiting.push({ count, resolve });
        if (hits.length >= count) resolve();
      }),
    reset() {
      hits.length = 0;
      waiting.length = 0;
      pages.clear();
      site.respond = tracked;
    },
    async close() {
      for (const one of [server, secureServer]) {
        one.closeAllConnections();
        await new Promise((resolve) => one.close(resolve));
      }
    },
  };
  return site;
}

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // A listening server has an address with a port.
  return (server.address() as AddressInfo).port;
}
