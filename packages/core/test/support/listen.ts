import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export type Send = (path: string, init?: RequestInit & { duplex?: 'half' }) => Promise<Response>;

/** Starts a server that closes when the test finishes. @returns a function that sends requests to it */
export async function sendTo(listener: RequestListener): Promise<Send> {
  const server = createServer(listener);
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((closed) => server.close(closed));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  return (path, init) => fetch(`http://127.0.0.1:${port}${path}`, init);
}
