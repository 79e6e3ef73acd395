import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export type Send = (path: string, init?: RequestInit & { duplex?: 'half' }) => Promise<Response>;

/** Starts a server that closes when the test finishes. @returns its URL without a path */
export async function listen(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((closed) => server.close(closed));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  return `http://127.0.0.1:${port}`;
}

/** Starts a server that closes when the test finishes. @returns a function that sends requests to it */
export async function sendTo(listener: RequestListener): Promise<Send> {
  const url = await listen(listener);
  return (path, init) => fetch(url + path, init);
}
