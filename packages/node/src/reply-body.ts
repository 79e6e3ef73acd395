import type { TransportResponse } from './transport.ts';

/** Affkit's own replies have a few hundred bytes, those about a thousand transactions less than this. */
export const MAX_REPLY_BYTES = 1024 * 1024;

/** The body of a reply; undefined where it was cut short or is longer than a reply of Affkit's can be. */
export async function readReplyBody(response: TransportResponse): Promise<string | undefined> {
  try {
    // In JavaScript it may be a stream of Node's, as node-fetch has it.
    if (typeof response.body?.getReader === 'function') return await readStream(response.body);
    const text = await response.text();
    return text.length <= MAX_REPLY_BYTES ? text : undefined;
  } catch {
    return undefined;
  }
}

async function readStream(stream: NonNullable<TransportResponse['body']>): Promise<string | undefined> {
  const reader = stream.getReader();
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done || value === undefined) return text + decoder.decode();
    bytes += value.byteLength;
    if (bytes > MAX_REPLY_BYTES) {
      // Ends the connection too. Whether that works changes nothing.
      reader.cancel().catch(() => {});
      return undefined;
    }
    text += decoder.decode(value, { stream: true });
  }
}
