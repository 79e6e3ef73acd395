import { createServer, type RequestListener } from 'node:http';
import { onTestFinished } from 'vitest';
import { closeServer, listenOnLoopback } from './loopback-server.ts';

export type Send = (path: string, init?: RequestInit & { duplex?: 'half' }) => Promise<Response>;

/** Starts a server that closes when the test finishes. @returns its URL without a path */
export async function listen(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  onTestFinished(() => closeServer(server));
  return listenOnLoopback(server);
}

/** Starts a server that closes when the test finishes. @returns a function that sends requests to it */
export async function sendTo(listener: RequestListener): Promise<Send> {
  const url = await listen(listener);
  return (path, init) => fetch(url + path, init);
}
