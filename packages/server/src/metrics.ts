import cluster from 'node:cluster';
import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Affkit } from '@affkit/core';
import { AggregatorRegistry, Counter, collectDefaultMetrics, Histogram, Registry } from 'prom-client';
import { isLoopback } from './addresses.ts';
import type { ServerConfig } from './config.ts';
import { askForMetrics } from './worker-messages.ts';

const DURATION_BUCKETS_S = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

/** What the server counts of itself. */
export interface Metrics {
  readonly contentType: string;
  /**
   * Everything counted, in the text format of Prometheus: where there are workers, by all that are there now. Most is
   * their sum; times of the event loop are their average.
   */
  render(): Promise<string>;
  /** The same `handle`, counted. */
  count(handle: Affkit['handle']): Affkit['handle'];
}

interface Series {
  readonly count: { inc(): void };
  readonly duration: { observe(value: number): void };
}

export function createMetrics(): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const requests = new Counter({
    name: 'affkit_http_requests_total',
    help: 'Requests answered by a route of Affkit.',
    labelNames: ['method', 'route', 'status'],
    registers: [registry],
  });
  const durations = new Histogram({
    name: 'affkit_http_request_duration_seconds',
    help: 'Time from a request to its reply.',
    labelNames: ['route'],
    buckets: DURATION_BUCKETS_S,
    registers: [registry],
  });
  // To find them by their labels costs more than to count.
  const known = new Map<string, Series>();
  const seriesOf = (method: string, route: string, status: number) => {
    const name = `${method} ${status} ${route}`;
    const series = known.get(name) ?? {
      count: requests.labels({ method, route, status }),
      duration: durations.labels({ route }),
    };
    known.set(name, series);
    return series;
  };
  if (cluster.isWorker) {
    AggregatorRegistry.setRegistries(registry);
    // Answers from now on when the figures of all workers are gathered.
    new AggregatorRegistry();
  }
  return {
    contentType: registry.contentType,
    render: () => (cluster.isWorker ? askForMetrics() : registry.metrics()),
    count: (handle) => async (request) => {
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

const VERSIONED = '/api/v1/';

/** The fixed beginning of a route's path: ids would make a time series each. */
export function routeLabel(path: string): string {
  let end = 0;
  for (let parts = path.startsWith(VERSIONED) ? 4 : 3; parts > 0 && end !== -1; parts--) {
    end = path.indexOf('/', end + 1);
  }
  return end === -1 ? path : path.slice(0, end);
}

/** By any of them a proxy may tell that it has passed a request on. */
const PROXY_HEADERS = [
  'forwarded',
  'via',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-real-ip',
] as const;

/**
 * May this request read the metrics? With a token: whoever shows it. Without: this machine alone, and nobody whose
 * request a proxy on this machine has passed on, nor a page whose domain was pointed at this machine.
 */
export function mayReadMetrics(
  request: IncomingMessage,
  { metricsToken }: Pick<ServerConfig, 'metricsToken'>,
): boolean {
  const { headers, socket } = request;
  if (metricsToken !== undefined) {
    return isSameText(headers.authorization ?? '', `Bearer ${metricsToken}`);
  }
  const isForwarded = PROXY_HEADERS.some((name) => headers[name] !== undefined);
  return !isForwarded && isLoopback(socket.remoteAddress ?? '') && namesLoopback(headers.host ?? '');
}

function namesLoopback(host: string): boolean {
  const hostname = URL.parse(`http://${host}`)?.hostname.replace(/^\[(.*)\]$/, '$1') ?? '';
  return hostname === 'localhost' || isLoopback(hostname);
}

function isSameText(one: string, other: string): boolean {
  const [left, right] = [one, other].map((text) => createHash('sha256').update(text).digest());
  return left !== undefined && right !== undefined && timingSafeEqual(left, right);
}
