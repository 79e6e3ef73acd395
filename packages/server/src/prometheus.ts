import { type GaugeValue, METRICS, type Measure, type MetricDefinition, type MetricName } from '@affkit/core';
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

/** Returns the Prometheus name of a metric: `affkit.batch.duration` becomes `affkit_batch_duration_seconds`. */
export function prometheusName(
  name: string,
  { kind, unit }: Pick<MetricDefinition, 'kind' | 'unit'>,
): string {
  const parts = [name.replaceAll('.', '_'), unit === 's' ? 'seconds' : '', kind === 'counter' ? 'total' : ''];
  return parts.filter((part) => part !== '').join('_');
}

const entries = Object.entries(METRICS) as [MetricName, MetricDefinition][];

/**
 * Registers the counters and histograms of core, and the gauges that core sets.
 * @returns the function that records their values
 */
export function registerMeasurements(registry: Registry): Measure {
  const recorders = new Map<MetricName, (value: number, labels: Record<string, string>) => void>();
  for (const [name, definition] of entries) {
    const record = recorderOf(name, definition, registry);
    if (record) recorders.set(name, record);
  }
  return (metric, value, labels = {}) => recorders.get(metric)?.(value, labels);
}

/** The gauges that core sets. All others are read at each scrape. */
const SET_BY_CORE: ReadonlySet<MetricName> = new Set(['affkit.job.last_success_timestamp']);

function recorderOf(name: MetricName, definition: MetricDefinition, registry: Registry) {
  const options = optionsOf(name, definition, registry);
  if (definition.kind === 'counter') {
    const counter = new Counter(options);
    for (const labels of definition.series ?? []) counter.inc({ ...labels }, 0);
    return (value: number, labels: Record<string, string>) => counter.inc(labels, value);
  }
  if (definition.kind === 'histogram') {
    const histogram = new Histogram({ ...options, buckets: [...(definition.buckets ?? [])] });
    return (value: number, labels: Record<string, string>) => histogram.observe(labels, value);
  }
  if (!SET_BY_CORE.has(name)) return undefined;
  const gauge = new Gauge({ ...options, aggregator: 'max' });
  return (value: number, labels: Record<string, string>) => gauge.set(labels, value);
}

/**
 * Registers the gauges that are read at each scrape.
 * @param isShared whether to register the gauges whose values come from the database; if false, registers all others
 */
export function registerGauges(
  registry: Registry,
  isShared: boolean,
  read: () => readonly GaugeValue[] | Promise<readonly GaugeValue[]>,
): void {
  for (const [name, definition] of entries) {
    const { kind, labels = [] } = definition;
    if (kind !== 'gauge' || SET_BY_CORE.has(name) || (definition.isShared ?? false) !== isShared) continue;
    new Gauge({
      ...optionsOf(name, definition, registry),
      async collect() {
        const values = await read();
        // A value that cannot be read must be missing, because a 0 would hide the failure.
        if (labels.length === 0) this.remove();
        else this.reset();
        for (const { metric, value, labels: given = {} } of values) {
          if (metric === name) this.set(given, value);
        }
      },
    });
  }
}

function optionsOf(name: MetricName, definition: MetricDefinition, registry: Registry) {
  return {
    name: prometheusName(name, definition),
    help: definition.help,
    labelNames: [...(definition.labels ?? [])],
    registers: [registry],
  };
}
