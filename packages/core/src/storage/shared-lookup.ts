/**
 * Looks things up in the database, each once for all who ask for it in the same turn of the event loop. The question
 * goes out after the last of them has come, so that nobody is given what was no longer true when they asked.
 * @param find asks the database
 */
export function shareLookup<T>(find: (key: string) => Promise<T>): (key: string) => Promise<T> {
  let asked = new Map<string, Promise<T>>();
  const askAll = () => {
    asked = new Map();
  };
  return (key) => {
    const before = asked.get(key);
    if (before) return before;
    if (asked.size === 0) setImmediate(askAll);
    const answer = new Promise((resolve) => setImmediate(resolve)).then(() => find(key));
    asked.set(key, answer);
    return answer;
  };
}
