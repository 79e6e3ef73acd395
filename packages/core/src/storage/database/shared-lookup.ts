/**
 * Combines lookups. Callers that pass the same key in the same turn of the event loop share one lookup. The
 * lookup starts at the end of the turn, so its result is never older than any of the calls.
 * @param find looks up the key in the database
 */
export function shareLookup<T, Key = string>(find: (key: Key) => Promise<T>): (key: Key) => Promise<T> {
  const pending = new Map<Key, Promise<T>>();
  return (key) => {
    const shared = pending.get(key);
    if (shared) return shared;
    const lookup = new Promise((resolve) => setImmediate(resolve)).then(() => {
      pending.delete(key);
      return find(key);
    });
    pending.set(key, lookup);
    return lookup;
  };
}
