import type { Logger } from './log.ts';
import { OPEN_TELEMETRY, type TraceContext } from './open-telemetry.ts';

/** Reads the trace headers of a call. Most apps do not trace, so the code is loaded only if there is a source. */
export async function traceHeadersOf(
  traceContext: TraceContext | undefined,
  logger: Logger,
): Promise<Readonly<Record<string, string>>> {
  if (traceContext === undefined && !(OPEN_TELEMETRY in globalThis)) return {};
  const { readTraceHeaders } = await import('./trace-context.ts');
  return readTraceHeaders(traceContext, logger);
}
