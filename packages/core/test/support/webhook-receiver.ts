import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { WebhookEvent } from '@affkit/protocol';
import { Webhook } from 'standardwebhooks';
import { closeServer, listenOnLoopback } from './loopback-server.ts';

/** A verified webhook. */
interface Received {
  readonly id: string;
  readonly path: string;
  readonly event: WebhookEvent;
}

/** A server that receives webhooks and verifies their signatures with the public package `standardwebhooks`. */
export interface WebhookReceiver {
  readonly host: string;
  readonly url: string;
  /** The webhooks that were verified and accepted, in order. */
  readonly received: readonly Received[];
  /** The secrets to verify with. */
  readonly secrets: string[];
  /** Returns the status of the reply to a webhook. Tests can replace this function. By default, it returns 204. */
  answer: (received: Received) => number | Promise<number>;
  /** The number of requests that could not be verified. */
  readonly rejected: number;
  close(): Promise<void>;
}

export async function openReceiver(): Promise<WebhookReceiver> {
  const received: Received[] = [];
  const secrets: string[] = [];
  let rejected = 0;
  const server: Server = createServer(async (request, response) => {
    const body = await readBody(request);
    const event = verify(secrets, body, request);
    if (event === null) {
      rejected += 1;
      response.writeHead(401).end();
      return;
    }
    const webhook = { id: String(request.headers['webhook-id']), path: request.url ?? '', event };
    const status = await receiver.answer(webhook);
    if (status >= 200 && status < 300) received.push(webhook);
    response.writeHead(status).end(`status ${status}`);
  });
  const url = await listenOnLoopback(server);
  const receiver: WebhookReceiver = {
    host: new URL(url).host,
    url: `${url}/hook`,
    received,
    secrets,
    answer: () => 204,
    get rejected() {
      return rejected;
    },
    close: () => closeServer(server),
  };
  return receiver;
}

function verify(secrets: readonly string[], body: string, { headers }: IncomingMessage): WebhookEvent | null {
  // `standardwebhooks` compares the timestamp with `Date.now()`, but tests have their own clock.
  const now = Date.now;
  Date.now = () => Number(headers['webhook-timestamp']) * 1_000;
  try {
    for (const secret of secrets) {
      try {
        return new Webhook(secret).verify(body, headers as Record<string, string>) as WebhookEvent;
      } catch {
        // Try the next secret, because the sender may have used it.
      }
    }
    return null;
  } finally {
    Date.now = now;
  }
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}
