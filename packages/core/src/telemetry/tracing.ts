import {
  ERROR_STATUS,
  type OpenTelemetryApi,
  type Span,
  type SpanOptions,
  type SpanScope,
} from './open-telemetry.ts';

/** Reads a header by its lower-case name. */
type ReadHeader = (name: string) => string | undefined;

const HEADER_GETTER = {
  keys: () => [],
  get: (carrier: unknown, name: string) => {
    const value = (carrier as ReadHeader)(name.toLowerCase());
    // If a client has several instrumentations, each of them may add a `traceparent`. The last value names the
    // innermost span.
    return name === 'traceparent' ? value?.slice(value.lastIndexOf(',') + 1).trim() : value;
  },
};

interface StartedSpan {
  readonly span: Span;
  /** Runs a function while the span is active. */
  within<T>(run: () => T): T;
}

/** Creates the spans of Affkit. Attributes must not contain personal data, tokens, or paths with ids. */
export class Tracing {
  readonly #api: OpenTelemetryApi;
  readonly #tracer: ReturnType<OpenTelemetryApi['trace']['getTracer']>;
  /** A key for the OpenTelemetry context. The value is a function that starts the span of the current job. */
  readonly #jobKey: symbol;

  constructor(api: OpenTelemetryApi) {
    this.#api = api;
    this.#tracer = api.trace.getTracer('@affkit/core');
    this.#jobKey = api.createContextKey('affkit job');
  }

  /** The active span, or undefined. */
  activeSpan(): Span | undefined {
    return this.#api.trace.getSpan(this.#api.context.active());
  }

  /** Whether a new span would have a parent: an active span or a job. */
  isActive(): boolean {
    const active = this.#api.context.active();
    return this.#api.trace.getSpan(active) !== undefined || active.getValue(this.#jobKey) !== undefined;
  }

  /** Runs `run` in a child span of the active span. The span ends when the promise settles. */
  run<T>(name: string, options: SpanOptions, run: (span: Span) => Promise<T>): Promise<T> {
    return this.#runIn(this.#scope(), name, options, run);
  }

  /** Runs `run` in a span whose parent is named in the headers of a request. */
  runRequest<T>(
    name: string,
    options: SpanOptions,
    readHeader: ReadHeader,
    run: (span: Span) => Promise<T>,
  ): Promise<T> {
    const { context, propagation } = this.#api;
    const scope = propagation.extract(context.active(), readHeader, HEADER_GETTER);
    return this.#runIn(scope, name, options, run);
  }

  /** Starts a child span of `parent`. `parent` need not be the active span. The caller must end the child span. */
  startChildOf(parent: Span, name: string, options: SpanOptions): StartedSpan {
    const { context, trace, ROOT_CONTEXT: root } = this.#api;
    const span = this.#tracer.startSpan(name, options, trace.setSpan(root, parent));
    const scope = trace.setSpan(root, span);
    return { span, within: (run) => context.with(scope, run) };
  }

  /**
   * Runs a job once. The job's span is created together with its first child span. Most runs of a job find
   * nothing to do, and then need no span. A run that fails always has a span.
   */
  async runJob<T>(name: string, run: () => Promise<T>): Promise<T> {
    const { context, trace, ROOT_CONTEXT: root } = this.#api;
    const startTime = Date.now();
    let span: Span | undefined;
    const start = () => {
      span ??= this.#tracer.startSpan(`job ${name}`, { startTime, attributes: { 'affkit.job': name } }, root);
      return span;
    };
    try {
      return await context.with(
        root.setValue(this.#jobKey, () => trace.setSpan(root, start())),
        run,
      );
    } catch (error) {
      markFailed(start(), error);
      throw error;
    } finally {
      span?.end();
    }
  }

  /**
   * Returns the request headers that pass the active span to another service, so that the spans of that service
   * become children of the active span.
   */
  headers(): Record<string, string> {
    const headers: Record<string, string> = {};
    this.#api.propagation.inject(this.#api.context.active(), headers);
    return headers;
  }

  #scope(): SpanScope {
    const active = this.#api.context.active();
    const startJob = active.getValue(this.#jobKey) as (() => SpanScope) | undefined;
    return startJob === undefined ? active : startJob();
  }

  async #runIn<T>(
    scope: SpanScope,
    name: string,
    options: SpanOptions,
    run: (span: Span) => Promise<T>,
  ): Promise<T> {
    const span = this.#tracer.startSpan(name, options, scope);
    try {
      return await this.#api.context.with(this.#api.trace.setSpan(scope, span), () => run(span));
    } catch (error) {
      markFailed(span, error);
      throw error;
    } finally {
      span.end();
    }
  }
}

/** Marks the span as failed. The message of an error may contain personal data, so only its kind is stored. */
export function markFailed(span: Span, error: unknown): void {
  span.setAttributes({ 'error.type': kindOf(error) });
  span.setStatus({ code: ERROR_STATUS });
}

function kindOf(error: unknown): string {
  if (typeof error === 'string') return error;
  if (!(error instanceof Error)) return typeof error;
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
}
