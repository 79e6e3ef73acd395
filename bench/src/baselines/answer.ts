import { createServer, type Server as HttpServer } from 'node:http';
import type { AddressInfo, Server } from 'node:net';

/** What a click is answered, made up. */
export const ANSWER = {
  success: true,
  click_id: 'clk_000000101kv5je8g031jm29gjy2ccvjvy',
  partner_code: 'anna',
  cookie_window_days: 60,
  attributed_partner_code: 'anna',
  attribution_model: 'last_click',
};

/**
 * The least that Node can do: a server that reads a body, parses it, does that work, and answers its result.
 * @param work of the path that was asked for
 */
export function bareServer(work: (path: string) => unknown): HttpServer {
  return createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', async () => {
      if (chunks.length > 0) JSON.parse(Buffer.concat(chunks).toString());
      const answer = await work(request.url ?? '');
      response.setHeader('content-type', 'application/json; charset=utf-8');
      response.end(JSON.stringify(answer));
    });
  });
}

/** Tells the parent process where the server listens, and ends with it. */
export function announce(server: Server): void {
  const tell = () => {
    const { port } = server.address() as AddressInfo;
    process.stdout.write(`${JSON.stringify({ msg: 'listening', port })}\n`);
  };
  if (server.listening) tell();
  else server.once('listening', tell);
  // Nothing that is under way matters any more.
  process.on('SIGTERM', () => process.exit());
}
