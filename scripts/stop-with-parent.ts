import cluster from 'node:cluster';

/**
 * This module is preloaded into the processes that `run.mjs` starts. If `run.mjs` dies without stopping them
 * (SIGKILL, a closed terminal), they send themselves SIGTERM, so that they do not keep their ports. Cluster workers
 * are left out: they exit with their primary, and their IPC channel must keep them alive.
 */
if (cluster.isPrimary) {
  process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));
  process.channel?.unref();
}
