import * as api from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { MeterProvider, MetricReader } from '@opentelemetry/sdk-metrics';
import {
  InMemorySpanExporter,
  type ReadableSpan,
  type Sampler,
  SimpleSpanProcessor,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { OpenTelemetryApi } from '../../src/telemetry/open-telemetry.ts';

class ManualReader extends MetricReader {
  protected override async onForceFlush(): Promise<void> {}
  protected override async onShutdown(): Promise<void> {}
}

/** Starts OpenTelemetry's SDK without global state, because unit tests share modules. */
export function startTelemetry({ sampler }: { readonly sampler?: Sampler } = {}) {
  const exporter = new InMemorySpanExporter();
  const traces = new TracerProvider({
    spanProcessors: [new SimpleSpanProcessor({ exporter })],
    ...(sampler && { sampler }),
  });
  const manager = new AsyncLocalStorageContextManager().enable();
  const propagator = new W3CTraceContextPropagator();
  const reader = new ManualReader();
  const meters = new MeterProvider({ readers: [reader] });
  const { setSpan, getSpan } = api.trace;
  const module: OpenTelemetryApi = {
    createContextKey: api.createContextKey,
    ROOT_CONTEXT: api.ROOT_CONTEXT,
    context: {
      active: () => manager.active(),
      with: (context, run) => manager.with(context, run),
    },
    trace: {
      getTracer: (name) => traces.getTracer(name),
      setSpan: (context, span) => setSpan(context, span as api.Span),
      getSpan: (context) => getSpan(context),
    },
    propagation: {
      extract: (context, carrier, getter) => propagator.extract(context, carrier, getter),
      inject: (context, carrier) => propagator.inject(context, carrier, api.defaultTextMapSetter),
    },
    metrics: { getMeter: (name) => meters.getMeter(name) },
  };
  return {
    api: module,
    /** Runs a function in a span of the embedding app. */
    inSpan: async <T>(name: string, run: () => Promise<T>): Promise<T> => {
      const span = traces.getTracer('app').startSpan(name);
      return await manager.with(setSpan(api.ROOT_CONTEXT, span), run).finally(() => span.end());
    },
    spans: (): ReadableSpan[] => exporter.getFinishedSpans(),
    /** The finished spans with this name. */
    spansOf: (name: string): ReadableSpan[] =>
      exporter.getFinishedSpans().filter((span) => span.name === name),
    reset: () => exporter.reset(),
    /**
     * The current values of a metric. The key is the labels as JSON. The value of a histogram is the number of
     * recorded values.
     */
    metric: async (name: string): Promise<Record<string, number>> => {
      const { resourceMetrics } = await reader.collect();
      const metrics = resourceMetrics.scopeMetrics.flatMap((scope) => scope.metrics);
      const points = metrics.find(({ descriptor }) => descriptor.name === name)?.dataPoints ?? [];
      return Object.fromEntries(
        points.map(({ attributes, value }) => [
          JSON.stringify(attributes),
          typeof value === 'number' ? value : value.count,
        ]),
      );
    },
  };
}
