import { createHash } from 'node:crypto';
import { type RequestListener, request } from 'node:http';
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import express from 'express';
import { expect, test } from 'vitest';
import { listen } from '../../core/test/support/listen.ts';
import { expressDashboard } from './express.ts';
import { fetchDashboard } from './fetch.ts';
import type { DashboardFile } from './files.ts';
import { nodeDashboard } from './node.ts';
import { createPages, type DashboardOptions } from './reply.ts';

const PAGE =
  '<meta name="affkit-base" content="__AFFKIT_BASE__"><meta name="affkit-api" content="__AFFKIT_API__">';
const SCRIPT = 'console.log("dashboard")';
const files = [
  toFile('index.html', 'text/html', PAGE),
  toFile('assets/main-4f1c.js', 'text/javascript', SCRIPT),
];
const ASSET = '/assets/main-4f1c.js';

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}

function toFile(path: string, type: string, text: string): DashboardFile {
  const bytes = Buffer.from(text);
  return { path, type, hash: hashOf(text), bytes, gzip: gzipSync(bytes), brotli: brotliCompressSync(bytes) };
}

/** Returns the ETag of a file in an encoding. */
function etagOf(text: string, encoding: string): string {
  return `"${hashOf(text).slice(0, 22)}-${encoding}"`;
}

/** A reply with its body as it was sent, before decompression. */
interface Sent {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Buffer;
}

/** Sends a request to a dashboard. The path is sent unchanged. */
type Send = (path: string, init?: { method?: string; headers?: Record<string, string> }) => Promise<Sent>;

async function sendTo(listener: RequestListener): Promise<Send> {
  const { port } = new URL(await listen(listener));
  return (path, { method = 'GET', headers = {} } = {}) =>
    new Promise((resolve, reject) => {
      // `fetch` cannot be used, because it would decompress the body and normalize the path.
      request({ port, path, method, headers: { ...headers, connection: 'close' } }, async (response) => {
        const body = Buffer.concat(await response.toArray());
        const fields = Object.entries(response.headers).map(([name, value]) => [name, String(value)]);
        resolve({ status: response.statusCode ?? 0, headers: new Headers(Object.fromEntries(fields)), body });
      })
        .on('error', reject)
        .end();
    });
}

type Mount = (basePath: string, options?: DashboardOptions) => Promise<Send>;

const mounts: Readonly<Record<string, Mount>> = {
  express: async (basePath, options) =>
    await sendTo(express().use(basePath === '' ? '/' : basePath, expressDashboard({ files, ...options }))),
  node: async (basePath, options) => {
    const dashboard = nodeDashboard({ basePath, files, ...options });
    return await sendTo((request, response) => {
      if (!dashboard(request, response)) response.writeHead(404).end('not the dashboard');
    });
  },
  fetch: async (basePath, options) => {
    const dashboard = fetchDashboard({ basePath, files, ...options });
    return async (path, init) => {
      const reply =
        dashboard(new Request(`http://shop.example${path}`, init)) ?? new Response(null, { status: 404 });
      return { status: reply.status, headers: reply.headers, body: Buffer.from(await reply.arrayBuffer()) };
    };
  },
};

const each = Object.entries(mounts);

test.each(each)(
  '%s serves the page, with the paths of dashboard and API, for every route below the mount point',
  async (_name, mount) => {
    const send = await mount('/affiliates/app');
    for (const path of ['', '/', '/p/1/partners?status=pending', '/index.html', '/p/1/why/%2e%2e%2fsecret']) {
      const { status, headers, body } = await send(`/affiliates/app${path}`);
      expect([path, status, body.toString()]).toEqual([
        path,
        200,
        '<meta name="affkit-base" content="/affiliates/app"><meta name="affkit-api" content="/affiliates">',
      ]);
      expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
      expect(headers.get('cache-control')).toBe('no-cache');
      expect(headers.get('content-security-policy')).toContain("default-src 'none'; script-src 'self';");
    }
    for (const path of ['/affiliates', '/affiliates/application', '/other/app']) {
      expect((await send(path)).status).toBe(404);
    }
  },
);

test.each(each)(
  '%s works at the root, and reads the path of the API from an option',
  async (_name, mount) => {
    const atRoot = await mount('', { apiPath: '/affiliates' });
    expect((await atRoot('/p/1')).body.toString()).toBe(
      '<meta name="affkit-base" content=""><meta name="affkit-api" content="/affiliates">',
    );
    const below = await mount('/app');
    expect((await below('/app')).body.toString()).toContain('name="affkit-api" content=""');
  },
);

test('the page of a route lists the scripts and requests that it needs immediately', async () => {
  const scripts = ['assets/shell-1.js', 'assets/partners-2.js'];
  const preloads = { '/p/*/partners': { scripts, requests: ['/api/auth/me', '/api/programs?a=1&b=2'] } };
  const index = { ...toFile('index.html', 'text/html', `<head>${PAGE}</head>`), preloads };
  const pages = createPages({ files: [index] });
  const bodyOf = (path: string, basePath = '/a/app') => {
    const { body } = pages({ method: 'GET', basePath, path, header: () => undefined });
    return Buffer.from(body ?? '').toString();
  };
  const named = (path: string, basePath?: string) => [
    ...bodyOf(path, basePath).matchAll(/<link crossorigin rel="(\w+)"(?: as="fetch")? href="([^"]+)">/g),
  ];
  expect(named('/p/12/partners/').map(([, rel, href]) => [rel, href])).toEqual([
    ['modulepreload', '/a/app/assets/shell-1.js'],
    ['modulepreload', '/a/app/assets/partners-2.js'],
    ['preload', '/a/api/auth/me'],
    ['preload', '/a/api/programs?a=1&#38;b=2'],
  ]);
  for (const path of ['/', '/sign-in', '/p/x/partners', '/p/1/partners/2', '/p//constructor']) {
    expect([path, named(path)]).toEqual([path, []]);
  }
  expect(bodyOf('/p/1/partners', '/app')).toContain('href="/app/assets/shell-1.js"');
});

test.each(each)(
  '%s serves files as immutable, in a compression that the browser accepts',
  async (_name, mount) => {
    const send = await mount('/app');
    for (const [accepted, encoding, decompress] of [
      ['gzip, deflate, br, zstd', 'br', brotliDecompressSync],
      ['GZIP;q=0.5', 'gzip', gunzipSync],
      ['br;q=0, gzip', 'gzip', gunzipSync],
      ['br; q=0.000', null, Buffer.from],
      ['identity', null, Buffer.from],
    ] as const) {
      const reply = await send(`/app${ASSET}`, { headers: { 'accept-encoding': accepted } });
      expect([accepted, reply.status, reply.headers.get('content-encoding')]).toEqual([
        accepted,
        200,
        encoding,
      ]);
      expect(decompress(reply.body).toString()).toBe(SCRIPT);
      expect(reply.headers.get('content-length')).toBe(String(reply.body.length));
      expect(reply.headers.get('content-type')).toBe('text/javascript');
      expect(reply.headers.get('vary')).toBe('accept-encoding');
      expect(reply.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
      expect(reply.headers.get('x-content-type-options')).toBe('nosniff');
    }
  },
);

test.each(each)('%s sends no body for HEAD, and rejects other methods', async (_name, mount) => {
  const send = await mount('/app');
  for (const path of ['/app', `/app${ASSET}`]) {
    const [get, head] = [await send(path), await send(path, { method: 'HEAD' })];
    expect([head.status, head.body.length]).toEqual([200, 0]);
    expect(head.headers.get('content-length')).toBe(String(get.body.length));
    expect(head.headers.get('etag')).toBe(get.headers.get('etag'));
    const posted = await send(path, { method: 'POST' });
    expect([posted.status, posted.headers.get('allow'), posted.body.length]).toEqual([405, 'GET, HEAD', 0]);
  }
});

test.each(each)('%s returns 304 for a page or file that the browser has cached', async (_name, mount) => {
  const send = await mount('/app');
  const etag = (await send('/app')).headers.get('etag') ?? '';
  for (const [first, path] of [
    ['/app', '/app/p/2'],
    [`/app${ASSET}`, `/app${ASSET}`],
  ] as const) {
    const tag = (await send(first)).headers.get('etag') ?? '';
    for (const tags of [tag, `W/${tag}`, `"other", ${tag}`]) {
      const again = await send(path, { headers: { 'if-none-match': tags } });
      expect([path, tags, again.status, again.body.length]).toEqual([path, tags, 304, 0]);
    }
    expect((await send(path, { headers: { 'if-none-match': '"other"' } })).status).toBe(200);
  }
  const compressed = { 'accept-encoding': 'br', 'if-none-match': etagOf(SCRIPT, 'identity') };
  expect((await send(`/app${ASSET}`, { headers: compressed })).status).toBe(200);
  const elsewhere = await (await mount('/other/app'))('/other/app', { headers: { 'if-none-match': etag } });
  expect(elsewhere.status).toBe(200);
});

test.each(each)(
  '%s returns 404 for a file that does not exist, and serves no file outside of its folder',
  async (_name, mount) => {
    const send = await mount('/app');
    for (const path of [
      '/assets/old-1234.js',
      '/assets/',
      '/assets/%2e%2e/%2e%2e/package.json',
      '/assets/main-4f1c.js.map',
    ]) {
      const { status, headers, body } = await send(`/app${path}`);
      // For the Fetch adapter, `new Request` resolves the dots, so the path is outside of the mount point.
      expect([path, body.includes('devDependencies')]).toEqual([path, false]);
      if (path.includes('%2e')) continue;
      // The reply must not be cached. During an update, the next request may reach a server that has the
      // file.
      expect([path, status, headers.get('cache-control')]).toEqual([path, 404, 'no-store']);
    }
  },
);

test('replies with the same content share one buffer, so that unread replies need no additional memory', () => {
  const pages = createPages({ files });
  for (const path of [ASSET, '/p/1']) {
    for (const encoding of ['br', 'gzip', 'identity']) {
      const request = { method: 'GET', basePath: '/app', path, header: () => encoding };
      expect(pages(request).body).toBe(pages(request).body);
    }
  }
});

test('escapes the mount path, which can come from the request', async () => {
  const app = express().use('/:tenant/app', expressDashboard({ files, apiPath: '/"><script>' }));
  const send = await sendTo(app);
  const { body } = await send(`/"'><b>&/app`);
  expect(body.toString()).toBe(
    '<meta name="affkit-base" content="/&#34;&#39;&#62;&#60;b&#62;&#38;/app">' +
      '<meta name="affkit-api" content="/&#34;&#62;&#60;script&#62;">',
  );
});

test.each(['app', '/app/', '/', 'https://shop.example/app', '/app?x', '//app'])(
  'rejects the base path %s, which no request path could match',
  (basePath) => {
    const message = `basePath must be a path such as /affiliates/app, got "${basePath}"`;
    for (const create of [nodeDashboard, fetchDashboard]) {
      expect(() => create({ basePath, files })).toThrow(new RangeError(message));
    }
  },
);

test('says what to do when the package contains no index.html', () => {
  expect(() => expressDashboard({ files: [] })).toThrow(
    'The dashboard has no index.html. Run "npm run build" again.',
  );
});
