import type { Logger } from './log.ts';

/** Returns the headers of W3C Trace Context. Other headers are ignored. */
export type TraceContext = () => {
  readonly traceparent?: string | undefined;
  readonly tracestate?: string | undefined;
};

/** Where `@opentelemetry/api` 1.x registers its parts, so that several copies of it work together. */
export const OPEN_TELEMETRY: unique symbol = Symbol.for('opentelemetry.js.api.1');

/** Reads the trace headers of a call. Most apps do not trace, so the code is loaded only if there is a source. */
export async function traceHeadersOf(
  traceContext: TraceContext | undefined,
  logger: Logger,
): Promise<Readonly<Record<string, string>>> {
  if (traceContext === undefined && !(OPEN_TELEMETRY in globalThis)) return {};
  const { readTraceHeaders } = await import('./trace-context.ts');
  return readTraceHeaders(traceContext, logger);
}
