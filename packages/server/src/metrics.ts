import cluster from 'node:cluster';
import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Affkit, GaugeReader, Measure, ReplicaState } from '@affkit/core';
import { AggregatorRegistry, Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { ServerConfig } from './config.ts';
import { registerGauges, registerMeasurements } from './prometheus.ts';
import { requestClusterMetrics } from './worker-messages.ts';

const DURATION_BUCKETS_S = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

/** The metrics of this process or, if this process is a worker, of all current workers. */
export interface Metrics {
  readonly contentType: string;
  /**
   * Renders all metrics in the Prometheus text format. The values of several workers are summed up, unless the
   * metric sets another aggregator. Event loop times, for example, are averaged.
   */
  render(): Promise<string>;
  /** Records a measurement that `@affkit/core` has made. */
  readonly measure: Measure;
  /** Wraps `handle` so that every response is counted and timed. */
  instrument(handle: Affkit['handle']): Affkit['handle'];
}

interface RouteSeries {
  readonly count: { inc(): void };
  readonly duration: { observe(value: number): void };
}

interface MetricSources {
  /** Returns the state of the replica of the database, or undefined if there is none. */
  readonly replicaState?: (() => ReplicaState | undefined) | undefined;
  /** Undefined in tests without a database. */
  readonly gauges?: GaugeReader | undefined;
}

export function createMetrics({ replicaState = () => undefined, gauges }: MetricSources = {}): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const requests = new Counter({
    name: 'affkit_http_requests_total',
    help: 'Requests to the routes of Affkit.',
    labelNames: ['method', 'route', 'status'],
    registers: [registry],
  });
  const durations = new Histogram({
    name: 'affkit_http_request_duration_seconds',
    help: 'Time from a request to its response.',
    labelNames: ['route'],
    buckets: DURATION_BUCKETS_S,
    registers: [registry],
  });
  if (replicaState()) registerReplicaMetrics(registry, () => replicaState());
  // Cached, because `labels()` takes longer than the increment.
  const cached = new Map<string, RouteSeries>();
  const seriesOf = (method: string, route: string, status: number) => {
    const name = `${method} ${status} ${route}`;
    const series = cached.get(name) ?? {
      count: requests.labels({ method, route, status }),
      duration: durations.labels({ route }),
    };
    cached.set(name, series);
    return series;
  };
  const measure = registerMeasurements(registry);
  // The gauges in `shared` come from the database and are the same for all workers. Only the worker that renders
  // the metrics reads them.
  const shared = new Registry();
  if (gauges) {
    registerGauges(registry, false, () => gauges.readLoad());
    registerGauges(shared, true, () => gauges.readBacklog());
  }
  if (cluster.isWorker) {
    AggregatorRegistry.setRegistries(registry);
    // The constructor makes this worker reply when the primary process collects metrics.
    new AggregatorRegistry();
  }
  return {
    contentType: registry.contentType,
    render: async () => {
      const own = cluster.isWorker ? await requestClusterMetrics() : await registry.metrics();
      return `${own.trimEnd()}\n${await shared.metrics()}`;
    },
    measure,
    instrument: (handle) => async (request) => {
      const startedAt = performance.now();
      const reply = await handle(request);
      if (reply) {
        const series = seriesOf(request.method, routeLabel(request.path), reply.status);
        series.count.inc();
        series.duration.observe((performance.now() - startedAt) / 1000);
      }
      return reply;
    },
  };
}

function registerReplicaMetrics(registry: Registry, state: () => ReplicaState | undefined): void {
  const registers = [registry];
  new Gauge({
    name: 'affkit_replica_lag_seconds',
    help: 'How far the read replica is behind the primary. NaN if unknown.',
    registers,
    aggregator: 'max',
    collect() {
      const lagMs = state()?.lagMs ?? null;
      this.set(lagMs === null ? Number.NaN : lagMs / 1000);
    },
  });
  new Gauge({
    name: 'affkit_replica_used',
    help: 'Whether lists, series and exports use the read replica (1) or the primary (0).',
    registers,
    aggregator: 'min',
    collect() {
      this.set(state()?.status === 'used' ? 1 : 0);
    },
  });
  new Counter({
    name: 'affkit_replica_reads_total',
    help: 'Reads of lists, series and exports, by the database that answered them.',
    labelNames: ['server'],
    registers,
    collect() {
      this.reset();
      for (const [server, count] of Object.entries(state()?.reads ?? {})) this.inc({ server }, count);
    },
  });
}

const VERSIONED_PREFIX = '/api/v1/';
/** Below these paths, the next segment is a slug. */
const PATHS_BEFORE_SLUG = ['/p', '/api/v1/programs'] as const;

/**
 * Returns the first segments of a path, without ids and slugs. Otherwise, each of them would create its own time
 * series, and clients could fill the memory with invented slugs.
 */
export function routeLabel(path: string): string {
  const beforeSlug = PATHS_BEFORE_SLUG.find((prefix) => path.startsWith(`${prefix}/`));
  if (beforeSlug !== undefined) return beforeSlug;
  let end = 0;
  for (let parts = path.startsWith(VERSIONED_PREFIX) ? 4 : 3; parts > 0 && end !== -1; parts--) {
    end = path.indexOf('/', end + 1);
  }
  return end === -1 ? path : path.slice(0, end);
}

/**
 * Whether this request carries `METRICS_TOKEN` as a bearer token. If `METRICS_TOKEN` is not set, no request
 * may read the metrics. A loopback address is not enough, because requests through a proxy on this machine
 * have one too.
 */
export function mayReadMetrics(
  { headers }: IncomingMessage,
  { metricsToken }: Pick<ServerConfig, 'metricsToken'>,
): boolean {
  return (
    metricsToken !== undefined && isEqualInConstantTime(headers.authorization ?? '', `Bearer ${metricsToken}`)
  );
}

function isEqualInConstantTime(given: string, expected: string): boolean {
  // `timingSafeEqual` requires equal lengths, so compare digests.
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(expected));
}
