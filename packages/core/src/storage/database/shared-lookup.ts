/**
 * Combines lookups: callers that pass the same key in one turn of the event loop share one lookup. The lookup
 * starts at the end of the turn, so no caller gets a result that is older than its call.
 * @param find looks the key up in the database
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
