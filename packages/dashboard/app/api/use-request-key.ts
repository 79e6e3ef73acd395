import { useRef } from 'preact/hooks';
import { newIdempotencyKey } from './idempotency-key.ts';

export interface RequestKey {
  /** Returns the idempotency key for a request. The key changes with the request, and after `forget`. */
  readonly keyFor: (request: string) => string;
  /** Discards the key. Call it after the reply, so that the same request can be sent again with a new key. */
  readonly forget: () => void;
}

/**
 * Returns functions for the idempotency key of a request. If a reply is lost and the user repeats the request, the key
 * stays the same, so the server returns the results of the first request.
 */
export function useRequestKey(): RequestKey {
  const sent = useRef<{ readonly request: string; readonly key: string } | null>(null);
  return {
    keyFor: (request) => {
      if (sent.current?.request !== request) sent.current = { request, key: newIdempotencyKey() };
      return sent.current.key;
    },
    forget: () => {
      sent.current = null;
    },
  };
}
