import type { TransportResponse } from './transport.ts';

/**
 * The limit for the responses of tracking routes. Most of them have a few hundred bytes. The longest one, a list of
 * 1,000 transaction ids, is shorter than this limit.
 */
export const MAX_RESPONSE_BYTES = 1024 * 1024;

/** Reads the body of a response. Returns undefined if it was cut short or is longer than `maxBytes`. */
export async function readResponseBody(
  response: TransportResponse,
  maxBytes = MAX_RESPONSE_BYTES,
): Promise<string | undefined> {
  try {
    // JavaScript callers may pass node-fetch, whose body is a Node stream without getReader.
    if (typeof response.body?.getReader === 'function')
      return await readResponseStream(response.body, maxBytes);
    const text = await response.text();
    return text.length <= maxBytes ? text : undefined;
  } catch {
    return undefined;
  }
}

async function readResponseStream(
  stream: NonNullable<TransportResponse['body']>,
  maxBytes: number,
): Promise<string | undefined> {
  const reader = stream.getReader();
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done || value === undefined) return text + decoder.decode();
    bytes += value.byteLength;
    if (bytes > maxBytes) {
      // `cancel` also closes the connection. Its failure does not matter.
      reader.cancel().catch(() => {});
      return undefined;
    }
    text += decoder.decode(value, { stream: true });
  }
}
