import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { HttpReply, HttpRequest } from '@affkit/core';
import { type Logger, pino } from 'pino';
import { onTestFinished } from 'vitest';
import { type AppParts, createApp } from '../src/app.ts';
import { prepareTracker } from '../src/tracker-script.ts';

/** A fake tracker, so that no build is needed. */
export const TRACKER = { script: '/* tracker */', linker: '/* linker */' };

const silent: Logger = pino({ level: 'silent' });

/**
 * Starts the app with a fake core that has only one route. The app is stopped when the test ends.
 * @returns a function that fetches a path
 */
export async function startApp(parts: Partial<AppParts> = {}) {
  const app = createApp({
    affkit: { handle: async (request) => (request.path === '/api/v1/track/click' ? echo(request) : null) },
    config: { trustProxy: false, metricsToken: undefined },
    log: silent,
    tracker: prepareTracker(TRACKER),
    isReady: async () => true,
    ...parts,
  });
  const server = createServer(app);
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((closed) => server.close(closed));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return (path: string, init?: RequestInit) => fetch(base + path, init);
}

/** Replies with the data that core receives about the client. */
export function echo(request: HttpRequest): HttpReply {
  const { ip, secure, requestId } = request;
  return { status: 200, headers: {}, body: { ip, secure, requestId } };
}
