import { createServer, type Server as HttpServer } from 'node:http';
import type { AddressInfo, Server } from 'node:net';

/** A constant response with the shape of a click response. */
export const CLICK_RESPONSE = {
  success: true,
  click_id: 'clk_000000101kv5je8g031jm29gjy2ccvjvy',
  partner_code: 'anna',
  cookie_window_days: 60,
  attributed_partner_code: 'anna',
  attribution_model: 'last_click',
};

/**
 * Creates a minimal server: it reads and parses the body, runs `work` and returns its result as JSON.
 * @param work receives the path of the request
 */
export function createBareServer(work: (path: string) => unknown): HttpServer {
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

/** Reports the port to the parent process once the server listens. Exits on SIGTERM. */
export function reportListening(server: Server): void {
  const report = () => {
    const { port } = server.address() as AddressInfo;
    process.stdout.write(`${JSON.stringify({ msg: 'listening', port })}\n`);
  };
  if (server.listening) report();
  else server.once('listening', report);
  // Pending requests do not matter at the end of a benchmark.
  process.on('SIGTERM', () => process.exit());
}
