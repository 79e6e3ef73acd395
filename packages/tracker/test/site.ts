import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo, Server } from 'node:net';
import { selfSignedCertificate } from './certificate.ts';

/** A request to the tracking host. */
export interface TrackedRequest {
  method: string;
  path: string;
  headers: IncomingMessage['headers'];
  body: { additional_data?: { idempotency_key?: string }; [field: string]: unknown };
}

/** A response of the tracking host. */
export interface SiteResponse {
  status: number;
  body: object;
  headers?: Record<string, string>;
}

/** A page, with additional response headers. */
interface PageResponse {
  html: string;
  headers: Record<string, string>;
}

/**
 * A shop and its tracking hosts. All hosts share one loopback port for http and another for https. Every host
 * serves `/js/` and `/api/`.
 */
export interface Site {
  readonly shop: string;
  readonly secureShop: string;
  readonly track: string;
  readonly secureTrack: string;
  readonly ownTrack: string;
  /** Another site. The shop may link to it. */
  readonly otherShop: string;
  /** Returns the http origin of a host. */
  at(host: string): string;
  /** The requests to the endpoints in order, including preflight requests. */
  readonly requests: TrackedRequest[];
  /** Pages of the shop by path. For all other paths, the shop serves a page with the plain tag. */
  readonly pages: Map<string, string | PageResponse>;
  /** Files below `/js/`. */
  readonly scripts: Map<string, string>;
  /** Returns the response of the tracking host. */
  respond: (request: TrackedRequest) => SiteResponse | Promise<SiteResponse>;
  /** Resolves when `count` or more requests have arrived. */
  waitForRequests(count: number): Promise<void>;
  reset(): void;
  close(): Promise<void>;
}

const SHOP_HOST = 'www.shop.test';
const TRACK_HOST = 'track.test';
/** A tracking host on the same site as the shop. */
const OWN_TRACK_HOST = 'track.shop.test';
const OTHER_SHOP_HOST = 'www.other.test';

/** Returns the response to a click. The click id contains the partner's code. */
export function trackedClick(request: TrackedRequest): SiteResponse {
  const code = new URL(String(request.body['affiliate_url'])).searchParams.get('aff');
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

/** Returns the response to a recorded click or lead. */
export const tracked = (request: TrackedRequest): SiteResponse =>
  request.path.endsWith('/lead')
    ? { status: 200, body: { success: true, message: 'Lead tracked successfully' } }
    : trackedClick(request);

async function readText(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) text += chunk;
  return text;
}

/** The built linker. */
const linker = readFileSync(`${import.meta.dirname}/../dist/affkit-linker.js`, 'utf8');

/** Starts the site on free ports. It serves `script` at `/js/affkit.js`, and the linker next to it. */
export async function startSite(script: string): Promise<Site> {
  const requests: TrackedRequest[] = [];
  const pages = new Map<string, string | PageResponse>();
  const waiting: { count: number; resolve: () => void }[] = [];

  async function track(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url: path = '', headers } = request;
    const [, file] = /\/js\/([^?]+)/.exec(path) ?? [];
    if (file) {
      const source = site.scripts.get(file);
      response
        .writeHead(source ? 200 : 404, {
          'Content-Type': 'text/javascript',
          'Access-Control-Allow-Origin': '*',
        })
        .end(source);
      return;
    }
    const text = await readText(request);
    const received: TrackedRequest = { method, path, headers, body: text ? JSON.parse(text) : {} };
    requests.push(received);
    for (const waiter of waiting) if (requests.length >= waiter.count) waiter.resolve();
    const reply = await site.respond(received);
    response
      .writeHead(reply.status, {
        'Content-Type': 'application/json',
        'Access-Control-Allow-Origin': headers.origin ?? '',
        'Access-Control-Allow-Credentials': 'true',
        'Access-Control-Expose-Headers': 'Retry-After',
        ...reply.headers,
      })
      .end(JSON.stringify(reply.body));
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
    requests,
    pages,
    scripts: new Map(),
    respond: tracked,
    waitForRequests: (count) =>
      new Promise((resolve) => {
        waiting.push({ count, resolve });
        if (requests.length >= count) resolve();
      }),
    reset() {
      requests.length = 0;
      waiting.length = 0;
      pages.clear();
      site.scripts.clear();
      site.scripts.set('affkit.js', script).set('affkit-linker.js', linker);
      site.respond = tracked;
    },
    async close() {
      for (const one of [server, secureServer]) {
        one.closeAllConnections();
        await new Promise((resolve) => one.close(resolve));
      }
    },
  };
  site.reset();
  return site;
}

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // The cast is safe because a listening server has an address with a port.
  return (server.address() as AddressInfo).port;
}
