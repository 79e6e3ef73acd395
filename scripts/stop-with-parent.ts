import cluster from 'node:cluster';

/**
 * This module is preloaded into the processes that `run.mjs` starts. If `run.mjs` dies without stopping them
 * (SIGKILL, a closed terminal), they send themselves SIGTERM, so that they do not keep their ports. In a cluster
 * worker, this module does nothing. The worker exits with its primary process anyway, and `unref` would stop the IPC
 * channel from keeping the worker alive.
 */
if (cluster.isPrimary) {
  process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));
  process.channel?.unref();
}
