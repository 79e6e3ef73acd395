import express from 'express';
import { expect, test } from 'vitest';
import { sendTo } from '../../test/support/listen.ts';
import type { HttpRequest } from '../http/message.ts';
import { expressAdapter } from './express.ts';
import { fetchAdapter } from './fetch.ts';
import { nodeAdapter } from './node.ts';

test.each(['affiliates', 'affiliates/', 'https://shop.example/affiliates', '?x', '/a?x'])(
  'rejects the base path %s, which no request path could match',
  (basePath) => {
    const message = `basePath must be a path such as /affiliates, got "${basePath}"`;
    for (const adapter of [nodeAdapter, fetchAdapter]) {
      expect(() => adapter({ handle: async () => null }, { basePath })).toThrow(new RangeError(message));
    }
  },
);

test.each(['', '/affiliates'])(
  'accepts an absolute URL as the request target, with the base path "%s"',
  async (basePath) => {
    const handle = async ({ path, query }: HttpRequest) => ({
      status: 200,
      headers: {},
      body: path + query.get('page'),
    });
    const app = express().use(basePath === '' ? '/' : basePath, expressAdapter({ handle }));
    for (const listener of [nodeAdapter({ handle }, { basePath }), app]) {
      const send = await sendTo((request, response) => {
        // Clients send this absolute form of the URL to proxies.
        request.url = `http://shop.example${request.url}`;
        listener(request, response);
      });
      expect(await (await send(`${basePath}/docs?page=2`)).text()).toBe('/docs2');
    }
  },
);
