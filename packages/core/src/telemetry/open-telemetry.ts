/**
 * The parts of the module `@opentelemetry/api` that Affkit uses. They are described here, so that Affkit does not
 * depend on that package.
 */
export interface OpenTelemetryApi {
  readonly context: {
    active(): SpanScope;
    with<T>(context: SpanScope, run: () => T): T;
  };
  readonly trace: {
    getTracer(name: string, version?: string): Tracer;
    setSpan(context: SpanScope, span: Span): SpanScope;
    getSpan(context: SpanScope): Span | undefined;
  };
  readonly propagation: {
    extract(context: SpanScope, carrier: unknown, getter: HeaderGetter): SpanScope;
    inject(context: SpanScope, carrier: unknown): void;
  };
  readonly metrics: {
    getMeter(name: string, version?: string): Meter;
  };
  readonly createContextKey: (description: string) => symbol;
  readonly ROOT_CONTEXT: SpanScope;
}

/** `Context` of OpenTelemetry. */
export interface SpanScope {
  getValue(key: symbol): unknown;
  setValue(key: symbol, value: unknown): SpanScope;
  deleteValue(key: symbol): SpanScope;
}

interface HeaderGetter {
  keys(carrier: unknown): string[];
  get(carrier: unknown, key: string): string | undefined;
}

interface Tracer {
  startSpan(name: string, options?: SpanOptions, context?: SpanScope): Span;
}

export interface SpanOptions {
  readonly kind?: SpanKind;
  readonly attributes?: Attributes;
  readonly links?: { readonly context: SpanContext }[];
  readonly startTime?: number;
}

export type Attributes = Record<string, string | number | boolean>;

/** The values of `SpanKind` of OpenTelemetry. */
export const SPAN_KINDS = { internal: 0, server: 1, client: 2 } as const;
type SpanKind = (typeof SPAN_KINDS)[keyof typeof SPAN_KINDS];

/** The value `ERROR` of `SpanStatusCode` of OpenTelemetry. */
export const ERROR_STATUS = 2;

export interface Span {
  spanContext(): SpanContext;
  isRecording(): boolean;
  setAttributes(attributes: Attributes): unknown;
  addLink(link: { readonly context: SpanContext }): unknown;
  setStatus(status: { readonly code: number }): unknown;
  end(): void;
}

interface SpanContext {
  readonly traceId: string;
  readonly spanId: string;
  readonly traceFlags: number;
}

interface Meter {
  createCounter(name: string, options?: MetricOptions): { add(value: number, attributes?: Attributes): void };
  createHistogram(
    name: string,
    options?: MetricOptions,
  ): { record(value: number, attributes?: Attributes): void };
  createGauge(
    name: string,
    options?: MetricOptions,
  ): { record(value: number, attributes?: Attributes): void };
  createObservableGauge(name: string, options?: MetricOptions): ObservableGauge;
  addBatchObservableCallback(
    callback: (result: GaugeResult) => void | Promise<void>,
    gauges: ObservableGauge[],
  ): void;
}

interface ObservableGauge {
  addCallback(callback: (result: ValueResult) => void | Promise<void>): void;
}

interface ValueResult {
  observe(value: number, attributes?: Attributes): void;
}

interface GaugeResult {
  observe(gauge: ObservableGauge, value: number, attributes?: Attributes): void;
}

interface MetricOptions {
  readonly description?: string;
  readonly unit?: string;
  readonly advice?: { readonly explicitBucketBoundaries?: number[] };
}
