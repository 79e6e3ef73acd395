import { type GaugeValue, METRICS, type Measure, type MetricDefinition, type MetricName } from './metrics.ts';
import type { Attributes, OpenTelemetryApi } from './open-telemetry.ts';
import { Tracing } from './tracing.ts';

/** Where Affkit reports traces and metrics. */
export interface TelemetryOptions {
  /**
   * The module `@opentelemetry/api`: `import * as api from '@opentelemetry/api'`. Affkit creates its spans and
   * metrics with this module. Register an SDK before you call `createAffkit`.
   */
  readonly api?: OpenTelemetryApi;
  /** Receives each measurement, for example for Prometheus. `METRICS` lists the metrics. */
  readonly measure?: Measure;
}

/** The telemetry of an Affkit instance. If telemetry is off, the runtime has none. */
export interface Telemetry {
  readonly measure: Measure;
  /** Undefined without OpenTelemetry. */
  readonly tracing: Tracing | undefined;
  /** Records the standard metric `http.server.request.duration`. Undefined without OpenTelemetry. */
  readonly recordRequest: ((seconds: number, attributes: Attributes) => void) | undefined;
}

/** The boundaries that the semantic conventions of OpenTelemetry recommend. */
const REQUEST_BUCKETS_S = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];

/**
 * @param warn reports that `measure` has thrown an error
 * @param readGauges returns the values of the gauges that are not in `PUSHED_GAUGES`. Called when OpenTelemetry
 * collects metrics
 */
export function createTelemetry(
  options: TelemetryOptions,
  warn: (error: unknown) => void,
  readGauges: () => Promise<readonly GaugeValue[]>,
): Telemetry {
  const { api } = options;
  const measure = options.measure && guard(options.measure, warn);
  if (api === undefined) return { measure: measure ?? ignore, tracing: undefined, recordRequest: undefined };
  const meter = api.metrics.getMeter('@affkit/core');
  const exportMetric = createMeasure(meter);
  observeGauges(meter, readGauges);
  const requests = meter.createHistogram('http.server.request.duration', {
    description: 'Duration of HTTP server requests.',
    unit: 's',
    advice: { explicitBucketBoundaries: REQUEST_BUCKETS_S },
  });
  return {
    measure:
      measure === undefined
        ? exportMetric
        : (...measurement) => {
            measure(...measurement);
            exportMetric(...measurement);
          },
    tracing: new Tracing(api),
    recordRequest: (seconds, attributes) => requests.record(seconds, attributes),
  };
}

type Meter = ReturnType<OpenTelemetryApi['metrics']['getMeter']>;
type RecordValue = (value: number, labels?: Record<string, string>) => void;

const ignore: Measure = () => {};

/** Catches errors of `measure`, because they must not fail the work that is measured. */
function guard(measure: Measure, warn: (error: unknown) => void): Measure {
  return (...measurement) => {
    try {
      measure(...measurement);
    } catch (error) {
      warn(error);
    }
  };
}

/** The gauges whose values core reports with `measure`. All other gauges are read when metrics are collected. */
const PUSHED_GAUGES: ReadonlySet<MetricName> = new Set(['affkit.job.last_success_timestamp']);

const names = Object.keys(METRICS) as MetricName[];

function createMeasure(meter: Meter): Measure {
  const recorders = new Map<MetricName, RecordValue>();
  for (const name of names) {
    const recorder = recorderOf(meter, name);
    if (recorder) recorders.set(name, recorder);
  }
  return (metric, value, labels) => recorders.get(metric)?.(value, labels);
}

function recorderOf(meter: Meter, name: MetricName): RecordValue | undefined {
  const definition: MetricDefinition = METRICS[name];
  if (definition.kind === 'counter') {
    const counter = meter.createCounter(name, optionsOf(definition));
    return (value, labels) => counter.add(value, labels);
  }
  if (definition.kind === 'gauge' && !PUSHED_GAUGES.has(name)) return undefined;
  const instrument =
    definition.kind === 'gauge'
      ? meter.createGauge(name, optionsOf(definition))
      : meter.createHistogram(name, optionsOf(definition));
  return (value, labels) => instrument.record(value, labels);
}

function observeGauges(meter: Meter, readGauges: () => Promise<readonly GaugeValue[]>): void {
  const gauges = new Map(
    names
      .filter((name) => METRICS[name].kind === 'gauge' && !PUSHED_GAUGES.has(name))
      .map((name) => [name, meter.createObservableGauge(name, optionsOf(METRICS[name]))] as const),
  );
  meter.addBatchObservableCallback(
    async (result) => {
      for (const { metric, value, labels } of await readGauges()) {
        const gauge = gauges.get(metric);
        if (gauge) result.observe(gauge, value, labels);
      }
    },
    [...gauges.values()],
  );
}

function optionsOf({ help, unit, buckets }: MetricDefinition) {
  return {
    description: help,
    ...(unit !== undefined && { unit }),
    ...(buckets && { advice: { explicitBucketBoundaries: [...buckets] } }),
  };
}
