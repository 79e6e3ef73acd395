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

/** Answers with what it was asked. Its routes lie below the base path, whatever the framework has elsewhere. */
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

/** Each as docs/guides/frameworks.md mounts it, beside a route of the app that reads JSON by the framework's own parser. */
const frameworks: Record<string, () => Promise<RequestListener>> = {
  async fastify() {
    const app = fastify();
    const answer = nodeAdapter(affkit, { basePath });
    app.all('/affiliates/*', {
      onRequest(request, reply) {
        reply.hijack();
        return answer(request.raw, reply.raw);
      },
      handler() {},
    });
    app.post('/own', async (request) => request.body);
    await app.ready();
    return app.routing;
  },
  async koa() {
    const app = new Koa();
    const answer = nodeAdapter(affkit, { basePath });
    app.use((context, next) => {
      if (!context.path.startsWith('/affiliates/')) return next();
      context.respond = false;
      return answer(context.req, context.res);
    });
    app.use(async (context) => {
      const parts: Uint8Array[] = await context.req.toArray();
      context.body = JSON.parse(Buffer.concat(parts).toString());
    });
    return app.callback();
  },
  async hono() {
    const app = new Hono();
    const answer = fetchAdapter<[Context]>(affkit, {
      basePath,
      ip: (_request, context) => getConnInfo(context).remote.address ?? null,
    });
    app.all('/affiliates/*', (context) => answer(context.req.raw, context));
    app.post('/own', async (context) => context.json(await context.req.json()));
    return getRequestListener(app.fetch);
  },
};

test.each(Object.entries(frameworks))(
  'mounted in %s its requests come in unread, and the app keeps its own',
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
    expect(await (await post('/own', 'application/json', '{"a":1}')).json()).toEqual({ a: 1 });
  },
);
