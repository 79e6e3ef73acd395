import { Agent, type IncomingHttpHeaders, request } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';

/** A request whose target is sent unchanged. The client does not parse it as a URL. */
export interface SentRequest {
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | undefined;
}

export interface Received {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

export interface Client {
  /** The origin of the server's own pages. */
  readonly origin: string;
  /** @throws Error when there is no complete response */
  send(sent: SentRequest): Promise<Received>;
  close(): void;
}

const MAX_ATTEMPTS = 5;
/** A slower response counts as no response. */
const TIMEOUT_MS = 60_000;

/** Returns a client for a server on the loopback interface. */
export function connectTo(port: number): Client {
  const agent = new Agent({ keepAlive: true });
  return {
    origin: `http://127.0.0.1:${port}`,
    async send(sent) {
      for (let attempt = 1; ; attempt++) {
        try {
          return await exchange(port, sent, attempt === 1 ? agent : false);
        } catch (error) {
          // The server may close a connection before it has read a request, for example a request that is too large.
          if (!isClosed(error) || attempt === MAX_ATTEMPTS) throw error;
        }
      }
    },
    close: () => agent.destroy(),
  };
}

function isClosed(error: unknown): boolean {
  return error instanceof Error && 'code' in error && ['ECONNRESET', 'EPIPE'].includes(String(error.code));
}

/** Decompresses a body. The response to HEAD has an empty body, although its headers name an encoding. */
function decode(body: Buffer, encoding: string | undefined): Buffer {
  if (body.length === 0) return body;
  if (encoding === 'br') return brotliDecompressSync(body);
  return encoding === 'gzip' ? gunzipSync(body) : body;
}

function exchange(port: number, sent: SentRequest, agent: Agent | false): Promise<Received> {
  const { method, target, headers, body } = sent;
  return new Promise((resolve, reject) => {
    const length = body === undefined ? {} : { 'content-length': String(body.length) };
    const outgoing = request(
      { port, host: '127.0.0.1', method, path: target, headers: { ...headers, ...length }, agent },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            text: decode(Buffer.concat(chunks), response.headers['content-encoding']).toString(),
          }),
        );
      },
    );
    outgoing.setTimeout(TIMEOUT_MS, () => outgoing.destroy(new Error(`No response in ${TIMEOUT_MS} ms`)));
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}
