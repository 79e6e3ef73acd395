/** What goes wrong with a request. */
export type Fault =
  /** The connection fails before the request arrives. */
  | { readonly kind: 'unreachable' }
  /** The server does its work, and the reply is lost. */
  | { readonly kind: 'lost_reply' }
  /** Neither a reply nor an error, until the sender gives up. */
  | { readonly kind: 'silence' }
  /** This reply, without any work. `retryAfter`: seconds, or an HTTP date. */
  | {
      readonly kind: 'reply';
      readonly status: number;
      readonly body?: unknown;
      readonly retryAfter?: number | string;
    };

const KINDS: Record<Fault['kind'], true> = {
  unreachable: true,
  lost_reply: true,
  silence: true,
  reply: true,
};

/** Faults to come. A fault of an unknown kind is refused with a RangeError. */
export interface Faults {
  /** The next requests fail so; faults come in the order in which they were added. @param times default 1 */
  add(fault: Fault, times?: number): void;
  /** All requests fail so until `clear`, once those that were added are used up. */
  always(fault: Fault): void;
  /** Nothing fails any more. */
  clear(): void;
}

/** The faults, and the function that takes the next one. */
export function makeFaults(): { readonly faults: Faults; readonly next: () => Fault | undefined } {
  const queue: Fault[] = [];
  let lasting: Fault | undefined;
  return {
    faults: {
      add(fault, times = 1) {
        refuseUnknown(fault);
        for (let count = 0; count < times; count += 1) queue.push(fault);
      },
      always(fault) {
        refuseUnknown(fault);
        lasting = fault;
      },
      clear() {
        queue.length = 0;
        lasting = undefined;
      },
    },
    next: () => queue.shift() ?? lasting,
  };
}

function refuseUnknown({ kind }: Fault): void {
  if (Object.hasOwn(KINDS, kind)) return;
  throw new RangeError(`${kind} is no kind of fault: there are ${Object.keys(KINDS).join(', ')}`);
}

/** Answers by the real server, unless a fault is due. */
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
        return Response.json(fault.body ?? { error: 'A fault of the test', code: 'fault' }, {
          status: fault.status,
          headers: fault.retryAfter === undefined ? {} : { 'retry-after': String(fault.retryAfter) },
        });
    }
  };
}

function untilAborted(signal: AbortSignal): Promise<Response> {
  return new Promise((resolve) => {
    const end = () => resolve(Response.error());
    if (signal.aborted) end();
    else signal.addEventListener('abort', end, { once: true });
  });
}
