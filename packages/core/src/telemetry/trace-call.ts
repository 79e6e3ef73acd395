import { type Attributes, SPAN_KINDS } from './open-telemetry.ts';
import type { Telemetry } from './telemetry.ts';
import { markFailed } from './tracing.ts';

/**
 * Runs a call to another service in a span.
 * @param faultOf returns the kind of the failure that the result contains, or null. The kind must not contain personal
 * data.
 */
export function traceCall<T>(
  telemetry: Telemetry | undefined,
  { name, attributes }: { readonly name: string; readonly attributes: Attributes },
  run: () => Promise<T>,
  faultOf: (result: T) => string | null,
): Promise<T> {
  const tracing = telemetry?.tracing;
  if (tracing === undefined) return run();
  return tracing.run(name, { kind: SPAN_KINDS.client, attributes }, async (span) => {
    const result = await run();
    const fault = faultOf(result);
    if (fault !== null) markFailed(span, fault);
    return result;
  });
}
