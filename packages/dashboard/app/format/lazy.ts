/**
 * Returns a function that creates a value on its first call and then caches it. Creating an `Intl` formatter
 * takes a millisecond.
 */
export function lazy<T>(create: () => T): () => T {
  let value: T | undefined;
  return () => {
    value ??= create();
    return value;
  };
}
