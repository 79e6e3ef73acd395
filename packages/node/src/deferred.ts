interface Deferred<T> {
  readonly promise: Promise<T>;
  readonly resolve: (value: T) => void;
  readonly reject: (error: unknown) => void;
}

/** `Promise.withResolvers`, which Node 20 does not have. */
export function createDeferred<T>(): Deferred<T> {
  // The constructor of Promise calls this function immediately.
  let settlers!: Omit<Deferred<T>, 'promise'>;
  const promise = new Promise<T>((resolve, reject) => {
    settlers = { resolve, reject };
  });
  return { promise, ...settlers };
}
