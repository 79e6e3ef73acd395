/** Returns the W3C Trace Context headers of your current trace span. Other headers are ignored. */
export type TraceContext = () => {
  readonly traceparent?: string | undefined;
  readonly tracestate?: string | undefined;
};

/** The validated W3C Trace Context headers of a request. Empty if there is no valid `traceparent`. */
export type TraceHeaders = Readonly<Record<string, string>>;

/** The global key under which `@opentelemetry/api` 1.x registers itself. All copies of the package share it. */
export const OPEN_TELEMETRY: unique symbol = Symbol.for('opentelemetry.js.api.1');
