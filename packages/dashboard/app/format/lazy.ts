/** Returns a function that creates a value when it is first called. A format of `Intl` takes a millisecond. */
export function lazy<T>(create: () => T): () => T {
  let value: T | undefined;
  return () => {
    value ??= create();
    return value;
  };
}
