import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { selfSignedCertificate } from '../../../packages/tracker/test/certificate.ts';
import { TRACK_ORIGIN, type TrackerScript } from './scripts.ts';

/** The landing page of a shop, and the host of the trackers. Browsers must map both to `port`. */
export interface LandingSite {
  readonly port: number;
  /** Serves this script and its `answer` from now on. */
  use(script: TrackerScript): void;
  /** Returns the number of events that arrived since the last call of `use`. */
  countEvents(): number;
  close(): Promise<void>;
}

export const SHOP_ORIGIN = 'https://www.shop.test';

/** Starts the site on a free port. */
export async function startLandingSite(): Promise<LandingSite> {
  let current: TrackerScript | undefined;
  let events = 0;
  const server = createServer(selfSignedCertificate(), (request, response) => {
    const { method, url = '', headers } = request;
    response.setHeader('Access-Control-Allow-Origin', headers.origin ?? '*');
    response.setHeader('Access-Control-Allow-Credentials', 'true');
    response.setHeader('Access-Control-Allow-Headers', 'content-type');
    if (method === 'POST') {
      events++;
      request.resume();
      response.setHeader('Content-Type', 'application/json').end(JSON.stringify(current?.answer));
    } else if (method === 'OPTIONS') response.writeHead(204).end();
    else if (url === SCRIPT_PATH) response.setHeader('Content-Type', 'text/javascript').end(current?.code);
    else if (url === '/favicon.ico') response.writeHead(404).end();
    else response.setHeader('Content-Type', 'text/html').end(pageOf(current?.attributes));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    // A listening server has an address with a port.
    port: (server.address() as AddressInfo).port,
    use(script) {
      current = script;
      events = 0;
    },
    countEvents: () => events,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const SCRIPT_PATH = '/js/script.js';

const pageOf = (attributes = '') =>
  `<!doctype html><html lang="en"><title>Shop</title><script defer src="${TRACK_ORIGIN}${SCRIPT_PATH}" ${attributes}></script><h1>Shop</h1>`;
