/** A simulated failure of a request. */
export type Fault =
  /** The connection fails before the request arrives. */
  | { readonly kind: 'unreachable' }
  /** The server processes the request, but its response does not arrive. */
  | { readonly kind: 'lost_reply' }
  /** The server never responds. The request ends when the client aborts it. */
  | { readonly kind: 'silence' }
  /**
   * The server sends this response without processing the request. `retryAfter` is in seconds, or an HTTP
   * date.
   */
  | {
      readonly kind: 'reply';
      readonly status: number;
      readonly body?: unknown;
      readonly retryAfter?: number | string;
    };

const FAULT_KINDS: Record<Fault['kind'], true> = {
  unreachable: true,
  lost_reply: true,
  silence: true,
  reply: true,
};

/** `Response` throws if a response with one of these statuses has a body. */
const STATUSES_WITHOUT_BODY: ReadonlySet<number> = new Set([204, 205, 304]);

/** Simulated failures of the next requests. An unknown `kind` throws a `RangeError`. */
export interface Faults {
  /**
   * Adds a fault for the next `times` requests. Faults are used in the order in which they were added.
   *
   * @param times number of requests that fail in this way; 1 by default
   *
   * @example
   * ```ts
   * server.faults.add({ kind: 'lost_reply' }); // the retry gets a duplicate
   * ```
   */
  add(fault: Fault, times?: number): void;
  /** Makes all requests fail until you call `clear`. Faults that you added with `add` are used first. */
  always(fault: Fault): void;
  /** Removes all faults. */
  clear(): void;
}

export function createFaults(): { readonly faults: Faults; readonly next: () => Fault | undefined } {
  const queue: Fault[] = [];
  let permanent: Fault | undefined;
  return {
    faults: {
      add(fault, times = 1) {
        rejectUnknownKind(fault);
        for (let count = 0; count < times; count += 1) queue.push(fault);
      },
      always(fault) {
        rejectUnknownKind(fault);
        permanent = fault;
      },
      clear() {
        queue.length = 0;
        permanent = undefined;
      },
    },
    next: () => queue.shift() ?? permanent,
  };
}

function rejectUnknownKind({ kind }: Fault): void {
  if (Object.hasOwn(FAULT_KINDS, kind)) return;
  throw new RangeError(`Unknown fault kind ${kind}. Valid kinds: ${Object.keys(FAULT_KINDS).join(', ')}`);
}

/**
 * Wraps the server so that a request fails if there is a fault for it. All other requests reach the server.
 */
export function withFaults(
  serve: (request: Request) => Promise<Response>,
  next: () => Fault | undefined,
): (request: Request) => Promise<Response> {
  return async (request) => {
    const fault = next();
    switch (fault?.kind) {
      case undefined:
        return serve(request);
      case 'unreachable':
        return Response.error();
      case 'lost_reply':
        await serve(request);
        return Response.error();
      case 'silence':
        return untilAborted(request.signal);
      case 'reply':
        return simulatedReply(fault);
    }
  };
}

function simulatedReply({ status, body, retryAfter }: Extract<Fault, { kind: 'reply' }>): Response {
  const headers = retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) };
  if (STATUSES_WITHOUT_BODY.has(status)) return new Response(null, { status, headers });
  return Response.json(body ?? { error: 'Simulated by a test fault', code: 'fault' }, { status, headers });
}

function untilAborted(signal: AbortSignal): Promise<Response> {
  return new Promise((resolve) => {
    const end = () => resolve(Response.error());
    if (signal.aborted) end();
    else signal.addEventListener('abort', end, { once: true });
  });
}
