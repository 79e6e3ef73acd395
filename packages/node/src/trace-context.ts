import type { Logger } from './log.ts';
import { OPEN_TELEMETRY, type TraceContext, type TraceHeaders } from './open-telemetry.ts';

const TRACEPARENT = /^[\da-f]{2}-[\da-f]{32}-[\da-f]{16}-[\da-f]{2}$/;
const TRACESTATE = /^[\x20-\x7e]{1,512}$/;

interface RegisteredApi {
  readonly context?: { active(): unknown };
  readonly propagation?: {
    inject(
      context: unknown,
      carrier: Record<string, string>,
      setter: { set(carrier: Record<string, string>, name: string, value: string): void },
    ): void;
  };
}

const SETTER = {
  set: (carrier: Record<string, string>, name: string, value: string) => {
    carrier[name] = value;
  },
};

/** The headers of the span that is active in the host app, if OpenTelemetry is registered there. */
const activeSpan: TraceContext = () => {
  const { context, propagation } = (globalThis as { [OPEN_TELEMETRY]?: RegisteredApi })[OPEN_TELEMETRY] ?? {};
  const headers: Record<string, string> = {};
  if (context !== undefined) propagation?.inject(context.active(), headers, SETTER);
  return headers;
};

/** Reads the trace headers of a request. Headers that are not valid are left out. Never throws. */
export function readTraceHeaders(traceContext: TraceContext = activeSpan, logger: Logger): TraceHeaders {
  try {
    const { traceparent = '', tracestate = '' } = traceContext();
    if (!TRACEPARENT.test(traceparent)) return {};
    return TRACESTATE.test(tracestate) ? { traceparent, tracestate } : { traceparent };
  } catch (error) {
    logger.warn('Could not read the trace context; the request is sent without it', { error: String(error) });
    return {};
  }
}
