import cluster from 'node:cluster';

/**
 * Preloaded into what `run.mjs` starts: when that process dies without a word (SIGKILL, a closed terminal),
 * this one stops as if it had been asked to, instead of living on with its ports taken. Workers of a cluster are told
 * by their own channel, which has to keep them alive.
 */
if (cluster.isPrimary) {
  process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));
  process.channel?.unref();
}
