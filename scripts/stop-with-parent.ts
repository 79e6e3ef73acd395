import cluster from 'node:cluster';

/**
 * Preloaded into the processes that `run.mjs` starts. If that parent dies without stopping them (SIGKILL, a
 * closed terminal), this process sends itself SIGTERM, so that it does not keep its ports. Cluster workers
 * exit with their primary, and their IPC channel must keep them alive.
 */
if (cluster.isPrimary) {
  process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));
  process.channel?.unref();
}
