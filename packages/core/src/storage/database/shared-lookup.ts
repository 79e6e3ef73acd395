/**
 * Looks things up in the database, each once for all who ask for it in the same turn of the event loop. The question
 * goes out after the last of them has come, so that nobody is given what was no longer true when they asked.
 * @param find asks the database
 */
export function shareLookup<T, Key = string>(find: (key: Key) => Promise<T>): (key: Key) => Promise<T> {
  const asked = new Map<Key, Promise<T>>();
  return (key) => {
    const before = asked.get(key);
    if (before) return before;
    const answer = new Promise((resolve) => setImmediate(resolve)).then(() => {
      asked.delete(key);
      return find(key);
    });
    asked.set(key, answer);
    return answer;
  };
}
