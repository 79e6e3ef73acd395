import cluster from 'node:cluster';
import { z } from 'zod';

const listening = z.object({
  port: z.number(),
  url: z.string(),
  tracker: z.object({ path: z.string(), integrity: z.string() }),
});
const report = z.object({ type: z.literal('affkit:listening'), listening });
const question = z.object({ type: z.literal('affkit:metrics'), id: z.number() });
const answer = question.extend({ text: z.string().optional(), error: z.string().optional() });

/** Where a server listens, and the tracker that it serves. */
export type Listening = z.output<typeof listening>;

let questions = 0;

/** Told by a worker once it serves requests. */
export function reportListening({ port, url, tracker }: Listening): void {
  process.send?.({ type: 'affkit:listening', listening: { port, url, tracker } });
}

/** Null for every other message. */
export function readReport(message: unknown): Listening | null {
  return report.safeParse(message).data?.listening ?? null;
}

/** Asked by a worker for the figures of all of them, in the text format of Prometheus. */
export async function askForMetrics(): Promise<string> {
  const id = questions++;
  const asked = Promise.withResolvers<string>();
  const read = (message: unknown) => {
    const found = answer.safeParse(message).data;
    if (found?.id !== id) return;
    if (found.text === undefined) asked.reject(new Error(found.error));
    else asked.resolve(found.text);
  };
  cluster.worker?.on('message', read);
  process.send?.({ type: 'affkit:metrics', id });
  return await asked.promise.finally(() => cluster.worker?.off('message', read));
}

/** Null for every other message. */
export function readQuestion(message: unknown): z.output<typeof question> | null {
  return question.safeParse(message).data ?? null;
}
