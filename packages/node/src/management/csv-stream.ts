import { AffkitAbortError, AffkitConnectionError } from '../errors.ts';
import { firstErrorCode } from '../redact.ts';
import type { TransportResponse } from '../transport.ts';
import type { RouteReply } from './send-route.ts';

/**
 * Streams the body of a response. If the body ends early, the stream throws an `AffkitError`, so that the
 * caller does not mistake the file for a complete one.
 */
export function readableCsv(
  { file, response, attempts }: RouteReply,
  operation: string,
  signal: AbortSignal | undefined,
): ReadableStream<Uint8Array> {
  if (file === undefined) throw new Error('The reply is not a CSV file');
  const info = { requestId: response.requestId, attempts };
  const reader = readerOf(file);
  let onAbort = () => {};
  const end = () => signal?.removeEventListener('abort', onAbort);
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        onAbort = () => {
          const message = `${operation} was aborted by its signal. The file is incomplete`;
          controller.error(
            new AffkitAbortError(message, { ...info, code: 'aborted', cause: signal?.reason }),
          );
          reader.cancel().catch(() => {});
        };
        signal?.addEventListener('abort', onAbort, { once: true });
        if (signal?.aborted) onAbort();
      },
      async pull(controller) {
        try {
          const { done, value } = await reader.read();
          if (value !== undefined) controller.enqueue(value);
          if (!done) return;
          end();
          controller.close();
        } catch (error) {
          end();
          if (signal?.aborted) return;
          const reason = firstErrorCode(error) ?? 'the connection was closed';
          const message = `${operation} ended early (${reason}): the file is incomplete. Export it again`;
          controller.error(
            new AffkitConnectionError(message, { ...info, code: 'connection_failed', retryable: true }),
          );
        }
      },
      async cancel() {
        end();
        await reader.cancel();
      },
    },
    { highWaterMark: 0 },
  );
}

type Reader = ReturnType<NonNullable<TransportResponse['body']>['getReader']>;

/** Delivers the whole file in one chunk if the transport has no web streams. */
function readerOf(response: TransportResponse): Reader {
  if (typeof response.body?.getReader === 'function') return response.body.getReader();
  let isRead = false;
  return {
    async read() {
      if (isRead) return { done: true };
      isRead = true;
      return { done: false, value: new TextEncoder().encode(await response.text()) };
    },
    async cancel() {},
  };
}
