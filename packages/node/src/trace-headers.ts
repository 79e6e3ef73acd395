import type { Logger } from './log.ts';
import { OPEN_TELEMETRY, type TraceContext, type TraceHeaders } from './open-telemetry.ts';

/**
 * Reads the trace headers of a call. Most apps do not use tracing, so the code is loaded only if the app passes
 * `traceContext` or has registered OpenTelemetry.
 * @returns undefined if the app does neither, so that the call need not wait
 */
export function traceHeadersOf(
  traceContext: TraceContext | undefined,
  logger: Logger,
): Promise<TraceHeaders> | undefined {
  if (traceContext === undefined && !(OPEN_TELEMETRY in globalThis)) return undefined;
  return import('./trace-context.ts').then(({ readTraceHeaders }) => readTraceHeaders(traceContext, logger));
}
