import type { Logger } from './log.ts';
import { OPEN_TELEMETRY, type TraceContext, type TraceHeaders } from './open-telemetry.ts';

/**
 * Reads the trace headers of a call. The code that reads them is loaded only if the app passes `traceContext` or has
 * registered OpenTelemetry, because most apps do neither.
 * @returns undefined instead of a promise if the app does neither, so that the call need not wait
 */
export function traceHeadersOf(
  traceContext: TraceContext | undefined,
  logger: Logger,
): Promise<TraceHeaders> | undefined {
  if (traceContext === undefined && !(OPEN_TELEMETRY in globalThis)) return undefined;
  return import('./trace-context.ts').then(({ readTraceHeaders }) => readTraceHeaders(traceContext, logger));
}
