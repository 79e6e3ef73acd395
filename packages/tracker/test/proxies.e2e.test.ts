import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findFreePort } from '../../core/test/support/free-port.ts';
import { closeServer, listenOnLoopback } from '../../core/test/support/loopback-server.ts';
import { clickCookies, consoleOutput, page, setUp, site } from './browser.ts';
import { exampleWith, GUIDE_SERVER } from './guide.ts';

setUp();

const GUIDE_HOST = new URL(GUIDE_SERVER).host;

let folder: string;
/** Functions that stop everything that the current test has started. */
const started: (() => Promise<void>)[] = [];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'affkit-proxy-'));
});
afterEach(async () => {
  for (const stop of started.splice(0)) await stop();
  await rm(folder, { recursive: true, force: true });
});

// A proxy reaches the tracking server by its IP address, because only the test browser can resolve the host name of
// the server.
const secureServer = () => `127.0.0.1:${new URL(site.secureTrack).port}`;
const plainServer = () => `http://127.0.0.1:${new URL(site.track).port}`;

/** Starts a web server with this configuration, and waits until it responds on the port. */
async function run(variable: string, args: readonly string[], config: string, port: number): Promise<void> {
  await writeFile(join(folder, 'config'), config);
  const command = process.env[variable];
  if (command === undefined) throw new Error(`${variable} must be the path of an executable`);
  const child: ChildProcess = spawn(command, args, {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, HOME: folder, XDG_CONFIG_HOME: folder, XDG_DATA_HOME: folder },
  });
  let stderr = '';
  child.stderr?.on('data', (chunk) => {
    stderr += chunk;
  });
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  started.push(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  const isUp = () => fetch(`http://127.0.0.1:${port}/`).then(({ ok }) => ok);
  await expect.poll(() => isUp().catch(() => stderr)).toBe(true);
}

/**
 * Handles requests for `/t/…` with `handle`, and serves the shop's pages for all others.
 * @returns the port
 */
async function serve(handle: (request: Request) => Promise<Response>): Promise<number> {
  const server = createServer(async (incoming, outgoing) => {
    const { url = '', method = 'GET', headers, socket } = incoming;
    let body = '';
    for await (const chunk of incoming.setEncoding('utf8')) body += chunk;
    const request = new Request(new URL(url, 'https://your-shop.example'), {
      method,
      headers: {
        'Content-Type': headers['content-type'] ?? '',
        'CF-Connecting-IP': `${socket.remoteAddress}`,
      },
      ...(body && { body }),
    });
    const response = url.startsWith('/t/') ? await handle(request) : await fetch(plainServer() + url);
    outgoing
      .writeHead(response.status, { 'Content-Type': response.headers.get('Content-Type') ?? '' })
      .end(await response.text());
  });
  started.push(() => closeServer(server));
  return Number(new URL(await listenOnLoopback(server)).port);
}

/**
 * Visits the shop through the proxy, with the tag for proxies from the guide.
 * @returns the request of the click
 */
async function visitBehind(port: number) {
  site.pages.set('/guide', exampleWith('html', 'data-base-url="/t"'));
  await page.goto(`http://www.shop.test:${port}/guide?aff=ann`);
  await page.waitForFunction(() => 'getClickId' in affkit);
  expect(await page.evaluate(() => affkit.ready())).toBe('clk_ann');
  expect(await clickCookies()).toMatchObject([{ value: 'clk_ann' }]);
  expect(consoleOutput).toEqual([]);
  expect(site.requests).toHaveLength(1);
  const [request] = site.requests;
  // The proxy must have removed the prefix `/t` from the path.
  expect(request).toMatchObject({ method: 'POST', path: '/api/v1/track/click' });
  return request;
}

describe('the example in the guide', () => {
  it('for nginx forwards the script, the click, and the IP address of the client', async () => {
    const port = await findFreePort();
    const location = exampleWith('nginx', 'proxy_pass').replace(GUIDE_SERVER, `https://${secureServer()}`);
    const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
      (name) => `${name}_temp_path ${folder}/${name};`,
    );
    await run(
      'NGINX_PATH',
      ['-p', folder, '-c', join(folder, 'config'), '-e', 'stderr'],
      `daemon off; master_process off; pid ${folder}/pid; events {}
      http {
        access_log off; ${paths.join(' ')}
        server { listen 127.0.0.1:${port}; ${location} location / { proxy_pass ${plainServer()}; } }
      }`,
      port,
    );
    const request = await visitBehind(port);
    expect(request?.headers).toMatchObject({ host: GUIDE_HOST, 'x-forwarded-for': '127.0.0.1' });
  });

  it('for Caddy forwards the script, the click, and the IP address of the client', async () => {
    const port = await findFreePort();
    const handle = exampleWith('caddyfile', 'handle_path')
      .replace(GUIDE_SERVER, `https://${secureServer()}`)
      // Accept the self-signed certificate of the test server.
      .replace('header_up', 'transport http {\n tls_insecure_skip_verify\n }\n header_up');
    await run(
      'CADDY_PATH',
      ['run', '--adapter', 'caddyfile', '--config', join(folder, 'config')],
      `{
        admin off
        auto_https off
      }
      http://:${port} {
        bind 127.0.0.1
        ${handle}
        handle {
          reverse_proxy ${plainServer()}
        }
      }`,
      port,
    );
    const request = await visitBehind(port);
    expect(request?.headers).toMatchObject({ host: GUIDE_HOST, 'x-forwarded-for': '127.0.0.1' });
  });

  /** Imports an example, with the URL of the real server. @returns the default export of the example */
  async function importExample(part: string): Promise<unknown> {
    const path = join(folder, 'example.mjs');
    await writeFile(path, exampleWith('js', part).replaceAll(GUIDE_SERVER, plainServer()));
    const example: { default: unknown } = await import(/* @vite-ignore */ pathToFileURL(path).href);
    return example.default;
  }

  it('for a Cloudflare Worker forwards the script, the click, and the IP address of the client', async () => {
    // Cloudflare calls the `fetch` method of the default export.
    const worker = (await importExample('Worker')) as { fetch(request: Request): Promise<Response> };
    const click = await visitBehind(await serve((request) => worker.fetch(request)));
    expect(click?.headers['x-forwarded-for']).toMatch(/127\.0\.0\.1$/);
  });

  it('for Next.js rewrites script and click', async () => {
    // This is the documented structure of a Next.js configuration.
    const config = (await importExample('next.config')) as {
      rewrites(): Promise<{ source: string; destination: string }[]>;
    };
    const [rewrite, ...others] = await config.rewrites();
    expect(others).toEqual([]);
    const [before = '', after] = rewrite?.source.split(':path*') ?? [];
    expect(after).toBe('');
    const port = await serve((request) => {
      const { pathname, search } = new URL(request.url);
      expect(pathname.startsWith(before)).toBe(true);
      const to = rewrite?.destination.replace(':path*', pathname.slice(before.length));
      return fetch(new Request(`${to}${search}`, request));
    });
    await visitBehind(port);
  });
});
