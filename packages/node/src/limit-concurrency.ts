/** Wraps work so that at most `max` calls run at the same time. The others wait, in the order of the calls. */
export type ConcurrencyLimit = <T>(work: () => Promise<T>) => Promise<T>;

export function limitConcurrency(max: number): ConcurrencyLimit {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (work) => {
    if (running < max) running += 1;
    // The call that ends passes its slot on, so `running` does not change.
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await work();
    } finally {
      const startNext = waiting.shift();
      if (startNext === undefined) running -= 1;
      else startNext();
    }
  };
}
