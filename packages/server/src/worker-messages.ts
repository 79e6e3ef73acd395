import cluster from 'node:cluster';
import { z } from 'zod';

const file = z.object({ path: z.string(), integrity: z.string() });
const listening = z.object({
  port: z.number(),
  url: z.string(),
  tracker: file,
  linker: file,
});
const listeningMessage = z.object({ type: z.literal('affkit:listening'), listening });
const metricsRequest = z.object({ type: z.literal('affkit:metrics'), id: z.number() });
const metricsResponse = metricsRequest.extend({ text: z.string().optional(), error: z.string().optional() });

/** The URL and port of a server, and the tracker files that it serves. */
export type Listening = z.output<typeof listening>;

let nextRequestId = 0;

/** Tells the primary process that this worker accepts requests. */
export function reportListening({ port, url, tracker, linker }: Listening): void {
  process.send?.({ type: 'affkit:listening', listening: { port, url, tracker, linker } });
}

/** @returns `null` if the message was not sent by `reportListening` */
export function parseListening(message: unknown): Listening | null {
  return listeningMessage.safeParse(message).data?.listening ?? null;
}

/**
 * Requests the metrics of all workers from the primary process.
 * @returns the metrics in the Prometheus text format
 * @throws Error when the primary process could not collect them
 */
export async function requestClusterMetrics(): Promise<string> {
  const id = nextRequestId++;
  const metrics = Promise.withResolvers<string>();
  const onMessage = (message: unknown) => {
    const response = metricsResponse.safeParse(message).data;
    if (response?.id !== id) return;
    if (response.text === undefined) metrics.reject(new Error(response.error));
    else metrics.resolve(response.text);
  };
  cluster.worker?.on('message', onMessage);
  process.send?.({ type: 'affkit:metrics', id });
  return await metrics.promise.finally(() => cluster.worker?.off('message', onMessage));
}

/** @returns `null` if the message was not sent by `requestClusterMetrics` */
export function parseMetricsRequest(message: unknown): z.output<typeof metricsRequest> | null {
  return metricsRequest.safeParse(message).data ?? null;
}
