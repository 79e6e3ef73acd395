import type { Span } from '../telemetry/open-telemetry.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';
import { markFailed, type Tracing } from '../telemetry/tracing.ts';
import type { BatcherOptions } from './batcher.ts';

/** The value of the metric label `batch`. */
export type BatchName = 'clicks' | 'leads' | 'sales' | 'test_events';

/**
 * Adds telemetry to the options of a batcher. Returns the options unchanged if telemetry is off.
 *
 * A batch has one span if at least one of its requests is traced. Its parent is the span of the first traced
 * request, so the batch gets the sampling decision of this request. The span of the batch and the spans of all its
 * traced requests link to each other.
 */
export function observeBatches<Request extends object, Outcome>(
  name: BatchName,
  telemetry: Telemetry | undefined,
  options: BatcherOptions<Request, Outcome>,
): BatcherOptions<Request, Outcome> {
  if (telemetry === undefined) return options;
  const { measure, tracing } = telemetry;
  const spans = new WeakMap<Request, Span>();
  return {
    ...options,
    onQueued: tracing && ((request) => rememberSpan(spans, request, tracing)),
    write: async (work, requests, size) => {
      let batch: ReturnType<typeof startBatch> | undefined;
      let startedAt = performance.now();
      const observed: typeof work = (tx) => {
        if (batch === undefined) {
          startedAt = performance.now();
          batch = startBatch(name, requests(), spans, tracing);
        }
        return batch === null ? work(tx) : batch.within(() => work(tx));
      };
      try {
        return await options.write(observed, requests, size);
      } catch (error) {
        if (batch) markFailed(batch.span, error);
        throw error;
      } finally {
        batch?.span.end();
        // If the transaction never began, no batch was written, so nothing is measured.
        if (batch !== undefined) {
          measure('affkit.batch.size', requests().length, { batch: name });
          measure('affkit.batch.duration', (performance.now() - startedAt) / 1000, { batch: name });
        }
      }
    },
  };
}

function rememberSpan<Request extends object>(
  spans: WeakMap<Request, Span>,
  request: Request,
  tracing: Tracing,
): void {
  const span = tracing.activeSpan();
  if (span?.isRecording()) spans.set(request, span);
}

/** @returns null if no request of the batch is traced */
function startBatch<Request extends object>(
  name: BatchName,
  requests: readonly Request[],
  spans: WeakMap<Request, Span>,
  tracing: Tracing | undefined,
) {
  const traced = requests.map((request) => spans.get(request)).filter((span) => span !== undefined);
  const [first] = traced;
  if (tracing === undefined || first === undefined) return null;
  const batch = tracing.startChildOf(first, `commit ${name}`, {
    attributes: { 'affkit.batch': name, 'affkit.batch.size': requests.length },
    links: traced.map((span) => ({ context: span.spanContext() })),
  });
  for (const span of traced) span.addLink({ context: batch.span.spanContext() });
  return batch;
}
