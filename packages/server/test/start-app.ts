import type { HttpReply, HttpRequest } from '@affkit/core';
import { type Logger, pino } from 'pino';
import { type Send, sendTo } from '../../core/test/support/listen.ts';
import { type AppParts, createApp } from '../src/app.ts';
import { prepareTracker } from '../src/tracker-script.ts';

/** A fake tracker, so that no build is needed. */
export const TRACKER = { script: '/* tracker */', linker: '/* linker */' };

const silent: Logger = pino({ level: 'silent' });

/**
 * Starts the app with a fake core that has only one route. The app is stopped when the test ends.
 * @returns a function that fetches a path
 */
export function startApp(parts: Partial<AppParts> = {}): Promise<Send> {
  const app = createApp({
    affkit: { handle: async (request) => (request.path === '/api/v1/track/click' ? echo(request) : null) },
    config: { trustProxy: false, metricsToken: undefined },
    log: silent,
    tracker: prepareTracker(TRACKER),
    isReady: async () => true,
    ...parts,
  });
  return sendTo(app);
}

/** Replies with the data that core receives about the client. */
export function echo(request: HttpRequest): HttpReply {
  const { ip, secure, requestId } = request;
  return { status: 200, headers: {}, body: { ip, secure, requestId } };
}
