import type { RequestListener } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import { getConnInfo } from '@hono/node-server/conninfo';
import fastify from 'fastify';
import { type Context, Hono } from 'hono';
import Koa from 'koa';
import { expect, test } from 'vitest';
import { sendTo } from '../../test/support/listen.ts';
import type { HttpReply, HttpRequest } from '../http/message.ts';
import { fetchAdapter } from './fetch.ts';
import { nodeAdapter } from './node.ts';

/** Returns the properties of the request in the response body. */
const affkit = {
  async handle(request: HttpRequest): Promise<HttpReply> {
    const { method, path, ip } = request;
    const bytes = await request.body(1_000);
    if (bytes === 'too_large') return { status: 413, headers: {}, body: {} };
    const body = new TextDecoder().decode(bytes);
    return { status: 200, headers: { 'x-kind': 'affkit' }, body: { method, path, ip, body } };
  },
};
const basePath = '/affiliates';

/**
 * Mounts Affkit as shown in docs/guides/frameworks.md, next to a route that uses the JSON parser of the
 * framework.
 */
const frameworks: Record<string, () => Promise<RequestListener>> = {
  async fastify() {
    const app = fastify();
    const listener = nodeAdapter(affkit, { basePath });
    app.all('/affiliates/*', {
      onRequest(request, reply) {
        reply.hijack();
        return listener(request.raw, reply.raw);
      },
      handler() {},
    });
    app.post('/host', async (request) => request.body);
    await app.ready();
    return app.routing;
  },
  async koa() {
    const app = new Koa();
    const listener = nodeAdapter(affkit, { basePath });
    app.use((context, next) => {
      if (!context.path.startsWith('/affiliates/')) return next();
      context.respond = false;
      return listener(context.req, context.res);
    });
    app.use(async (context) => {
      const parts: Uint8Array[] = await context.req.toArray();
      context.body = JSON.parse(Buffer.concat(parts).toString());
    });
    return app.callback();
  },
  async hono() {
    const app = new Hono();
    const respond = fetchAdapter<[Context]>(affkit, {
      basePath,
      ip: (_request, context) => getConnInfo(context).remote.address ?? null,
    });
    app.all('/affiliates/*', (context) => respond(context.req.raw, context));
    app.post('/host', async (context) => context.json(await context.req.json()));
    return getRequestListener(app.fetch);
  },
};

test.each(Object.entries(frameworks))(
  'in %s, Affkit receives unparsed bodies and the host application keeps its own routes',
  async (_name, start) => {
    const send = await sendTo(await start());
    const post = (path: string, type: string, body: string) =>
      send(path, { method: 'POST', headers: { 'content-type': type }, body });

    for (const [type, body] of [
      ['application/json', '{ "a": 1.0 }'],
      ['application/json', '{"a":'],
      ['application/json', ''],
      ['text/plain;charset=UTF-8', '{"a":"ü"}'],
      ['application/x-www-form-urlencoded', 'a=1'],
      ['no media type', '{"a":1}'],
    ] as const) {
      const response = await post('/affiliates/api/x?y=1', type, body);
      expect([response.status, response.headers.get('x-kind')]).toEqual([200, 'affkit']);
      expect(await response.json()).toEqual({ method: 'POST', path: '/api/x', ip: '127.0.0.1', body });
    }
    for (const method of ['OPTIONS', 'PUT', 'DELETE']) {
      expect(await (await send('/affiliates/api/x', { method })).json()).toMatchObject({ method });
    }
    expect((await post('/affiliates/api/x', 'application/json', 'x'.repeat(1_001))).status).toBe(413);
    expect(await (await post('/host', 'application/json', '{"a":1}')).json()).toEqual({ a: 1 });
  },
);
