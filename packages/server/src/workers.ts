import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { AggregatorRegistry } from 'prom-client';
import { NODE_FLAGS } from './node-flags.ts';
import { type Listening, readQuestion, readReport } from './worker-messages.ts';

/** Between a worker that ended before it listened, and the next try. */
const RETRY_MS = 1_000;

/** Processes that share one port. */
export interface Workers extends Listening {
  /** Each worker answers what is under way; ends when all have ended. Idempotent. */
  stop(): Promise<void>;
}

/**
 * Starts this very program `count` times more, as workers of one port. The first makes what is missing in the database
 * before there is another. A worker that ends is replaced at once. When this process dies, so do they.
 * @returns null where the first could not start: it has said why
 */
export async function startWorkers(count: number, log: Logger): Promise<Workers | null> {
  const metrics = new AggregatorRegistry();
  cluster.on('message', (worker, message: unknown) => {
    const question = readQuestion(message);
    if (!question) return;
    const answer = (reply: { text: string } | { error: string }) => {
      if (worker.isConnected()) worker.send({ ...question, ...reply });
    };
    metrics.clusterMetrics().then(
      (text) => answer({ text }),
      (error: unknown) => answer({ error: String(error) }),
    );
  });
  // The last flag wins, so the command line overrides NODE_FLAGS.
  cluster.setupPrimary({ execArgv: [...NODE_FLAGS, ...process.execArgv] });
  const stopping = new AbortController();
  const first = fork();
  const listening = await first.listening;
  if (!listening) return null;
  const all = [first, ...Array.from({ length: count - 1 }, fork)];
  const places = all.map((started) => keepPlace(started, stopping.signal, log));
  await Promise.all(all.map((started) => started.listening));
  return {
    ...listening,
    stop: async () => {
      stopping.abort();
      for (const worker of Object.values(cluster.workers ?? {})) worker?.process.kill('SIGTERM');
      await Promise.all(places);
    },
  };
}

interface Started {
  readonly worker: Worker;
  /** Null when it ends before. */
  readonly listening: Promise<Listening | null>;
}

function fork(): Started {
  const worker = cluster.fork();
  const listening = Promise.withResolvers<Listening | null>();
  worker.once('exit', () => listening.resolve(null));
  worker.on('message', (message) => {
    const report = readReport(message);
    if (report) listening.resolve(report);
  });
  return { worker, listening: listening.promise };
}

/** Puts another worker in the place of one that ended, until all are to stop. */
async function keepPlace(started: Started, stopping: AbortSignal, log: Logger): Promise<void> {
  for (let present = started; ; present = fork()) {
    const { worker, listening } = present;
    const [code, signal] = await once(worker, 'exit');
    if (stopping.aborted) return;
    log.warn({ pid: worker.process.pid, code, signal }, 'a worker ended; another takes its place');
    if (!(await listening)) await sleep(RETRY_MS, undefined, { signal: stopping }).catch(() => {});
    if (stopping.aborted) return;
  }
}
