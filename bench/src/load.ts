import autocannon, { type Request, type Result } from 'autocannon';

/** The result of one round of load. */
export interface LoadResult {
  /** Number of responses with status 200. */
  readonly acknowledged: number;
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** The load of one round. */
export interface Load {
  /** Each connection sends these requests in order, starting with the first. */
  readonly requests: readonly Request[];
  /** Total number of requests. */
  readonly amount: number;
  /**
   * Number of keep-alive connections. Each connection sends its next request when it has the response to the
   * previous request.
   */
  readonly connections: number;
}

const SAMPLE_MS = 100;

/**
 * Sends the requests and waits for all responses.
 * @throws if a request fails or its status is not 2xx, because the measurement would be invalid
 */
export async function sendRequests(
  url: string,
  { requests, amount, connections }: Load,
): Promise<LoadResult> {
  const begin = performance.now();
  let end = begin;
  const result = await new Promise<Result>((resolve, reject) => {
    const options = { url, amount, connections, requests: [...requests], timeout: 30, sampleInt: SAMPLE_MS };
    const running = autocannon(options, (error, done) => (error ? reject(error) : resolve(done)));
    // autocannon ends only at its next sample, so use the time of the last response.
    running.on('response', () => {
      end = performance.now();
    });
  });
  if (result.errors > 0 || result.non2xx > 0) {
    throw new Error(
      `Invalid measurement: ${result.errors} connection errors, ${result.non2xx} responses with a status other than 2xx`,
    );
  }
  return {
    acknowledged: result['2xx'],
    perSecond: (result['2xx'] * 1000) / (end - begin),
    p50Ms: result.latency.p50,
    p99Ms: result.latency.p99,
  };
}
