import express from 'express';
import { expressAdapter } from '../../src/adapters/express.ts';
import { fetchAdapter } from '../../src/adapters/fetch.ts';
import { nodeAdapter } from '../../src/adapters/node.ts';
import type { HttpReply, HttpRequest } from '../../src/http/message.ts';
import { type Send, sendTo } from './listen.ts';

export type Handle = (request: HttpRequest) => Promise<HttpReply | null>;

export const CALLBACKS = { ip: () => '203.0.113.7', secure: () => true, requestId: () => 'req_given' };

/**
 * Each function mounts one adapter at the root or at `base`. All adapters report the same IP address, protocol
 * and request id.
 */
export const adapters: Record<string, (handle: Handle, base?: string) => Promise<Send>> = {
  express: (handle, base = '/') => {
    const app = express().set('trust proxy', 1);
    app.use((request, _response, next) => {
      request.headers['x-forwarded-for'] = '203.0.113.7';
      request.headers['x-forwarded-proto'] = 'https';
      next();
    });
    app.use(base, expressAdapter({ handle }, { requestId: () => 'req_given' }));
    app.use((_request, response) => {
      const body = { error: 'Not found', code: 'route_not_found', request_id: 'req_given' };
      response.status(404).set('x-request-id', 'req_given').json(body);
    });
    return sendTo(app);
  },
  node: (handle, base = '') => sendTo(nodeAdapter({ handle }, { ...CALLBACKS, basePath: base })),
  fetch: async (handle, base = '') => {
    const respond = fetchAdapter({ handle }, { ...CALLBACKS, basePath: base });
    return (path, init) => respond(new Request(`http://127.0.0.1${path}`, init));
  },
};

/** The longest body that `echo` accepts, in bytes. */
export const LIMIT = 64;

/** Returns the properties of the request in the response body. */
export const echo: Handle = async (request) => {
  const body = await request.body(LIMIT);
  if (body === 'too_large') return { status: 413, headers: {}, body: { error: 'too large' } };
  const { method, path, ip, secure, requestId } = request;
  return {
    status: 200,
    headers: { 'x-kind': 'echo' },
    body: {
      method,
      path,
      query: Object.fromEntries(request.query),
      header: request.header('x-asked') ?? null,
      absent: request.header('x-absent') ?? null,
      host: typeof request.header('host'),
      body: new TextDecoder().decode(body),
      ip,
      secure,
      requestId,
    },
  };
};
