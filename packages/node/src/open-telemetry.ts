/** Returns the headers of W3C Trace Context. Other headers are ignored. */
export type TraceContext = () => {
  readonly traceparent?: string | undefined;
  readonly tracestate?: string | undefined;
};

/** Where `@opentelemetry/api` 1.x registers its parts, so that several copies of it work together. */
export const OPEN_TELEMETRY: unique symbol = Symbol.for('opentelemetry.js.api.1');
