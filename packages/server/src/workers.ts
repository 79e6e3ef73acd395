import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { AggregatorRegistry } from 'prom-client';
import { flagsFor } from './node-flags.ts';
import { type Listening, parseListening, parseMetricsRequest } from './worker-messages.ts';

/** The delay before the replacement of a worker that never listened. Without it, failing starts would use much CPU. */
const WORKER_RESTART_DELAY_MS = 1_000;

/** Worker processes that share one port. */
export interface Workers extends Listening {
  /** Stops all workers after their pending requests. Resolves when all of them have exited. Idempotent. */
  stop(): Promise<void>;
}

/**
 * Starts this program as `count` workers on one port. The first worker migrates the database before the
 * others start. A worker that exits is replaced. All workers exit when this process ends.
 * @returns `null` if the first worker could not start; it has already printed the reason
 */
export async function startWorkers(count: number, log: Logger): Promise<Workers | null> {
  const metrics = new AggregatorRegistry();
  cluster.on('message', (worker, message: unknown) => {
    const request = parseMetricsRequest(message);
    if (!request) return;
    const respond = (result: { text: string } | { error: string }) => {
      if (worker.isConnected()) worker.send({ ...request, ...result });
    };
    metrics.clusterMetrics().then(
      (text) => respond({ text }),
      (error: unknown) => respond({ error: String(error) }),
    );
  });
  // Node uses the last value of a flag, so a flag on the command line overrides the recommended value.
  cluster.setupPrimary({ execArgv: [...flagsFor(process.env['NODE_OPTIONS'] ?? ''), ...process.execArgv] });
  const stopping = new AbortController();
  const first = forkWorker();
  const listening = await first.listening;
  if (!listening) return null;
  const all = [first, ...Array.from({ length: count - 1 }, forkWorker)];
  const supervised = all.map((started) => supervise(started, stopping.signal, log));
  await Promise.all(all.map((started) => started.listening));
  return {
    ...listening,
    stop: async () => {
      stopping.abort();
      for (const worker of Object.values(cluster.workers ?? {})) worker?.process.kill('SIGTERM');
      await Promise.all(supervised);
    },
  };
}

interface StartedWorker {
  readonly worker: Worker;
  /** Resolves to `null` if the worker exits before it is listening. */
  readonly listening: Promise<Listening | null>;
}

function forkWorker(): StartedWorker {
  const worker = cluster.fork();
  const listening = Promise.withResolvers<Listening | null>();
  worker.once('exit', () => listening.resolve(null));
  worker.on('message', (message) => {
    const report = parseListening(message);
    if (report) listening.resolve(report);
  });
  return { worker, listening: listening.promise };
}

/** Replaces the worker each time it exits. Resolves when the worker exits after `stopping`. */
async function supervise(started: StartedWorker, stopping: AbortSignal, log: Logger): Promise<void> {
  for (let current = started; ; current = forkWorker()) {
    const { worker, listening } = current;
    const [code, signal] = await once(worker, 'exit');
    if (stopping.aborted) return;
    log.warn({ pid: worker.process.pid, code, signal }, 'worker exited, starting a replacement');
    if (!(await listening))
      await sleep(WORKER_RESTART_DELAY_MS, undefined, { signal: stopping }).catch(() => {});
    if (stopping.aborted) return;
  }
}
