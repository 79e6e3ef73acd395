import autocannon, { type Request, type Result } from 'autocannon';

/** What one round of load came to. */
export interface Round {
  /** Replies with status 200. */
  readonly acknowledged: number;
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

export interface Load {
  /** Sent in turns, each connection from its beginning. */
  readonly requests: readonly Request[];
  readonly amount: number;
  /** Each keeps its connection, and sends when it has the reply to what it sent before. */
  readonly connections: number;
}

const SAMPLE_MS = 100;

/**
 * Sends so many requests and waits for every reply.
 * @throws where one is refused or fails: that would be no measurement
 */
export async function fire(url: string, { requests, amount, connections }: Load): Promise<Round> {
  const begin = performance.now();
  let end = begin;
  const result = await new Promise<Result>((resolve, reject) => {
    const options = { url, amount, connections, requests: [...requests], timeout: 30, sampleInt: SAMPLE_MS };
    const running = autocannon(options, (error, done) => (error ? reject(error) : resolve(done)));
    // The load generator itself ends at its next sample only.
    running.on('response', () => {
      end = performance.now();
    });
  });
  if (result.errors > 0 || result.non2xx > 0) {
    throw new Error(`${result.errors} connection errors and ${result.non2xx} refusals: not a measurement`);
  }
  return {
    acknowledged: result['2xx'],
    perSecond: (result['2xx'] * 1000) / (end - begin),
    p50Ms: result.latency.p50,
    p99Ms: result.latency.p99,
  };
}
